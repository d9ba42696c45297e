// The landing page's figure: moves through the run that Figure 2's chapter stores, when asked.
"use strict";
(function () {
  const root = document.getElementById("overview");
  if (!root) return;
  const { middle, scale } = document.currentScript.dataset;
  const run = JSON.parse(root.querySelector("script[type='application/json']").textContent);
  const bars = [...root.querySelectorAll(".bar")], shares = [...root.querySelectorAll(".share")];
  const controls = root.querySelector(".controls");
  const [button, slider, output] = ["button", "input", "output"].map((tag) => controls.querySelector(tag));
  const still = window.matchMedia("(prefers-reduced-motion: reduce)");
  const last = run.steps.length - 1;
  let frame = last, timer = null;

  function name(step) {
    let k = 0;
    while (k < run.moments.length - 1 && step > run.moments[k]) k += 1;
    return run.names[k];
  }

  function draw() {
    bars.forEach((bar, k) => {
      const share = run.rows[frame][bar.dataset.bar], height = scale * share, up = bar.dataset.side === "up";
      bar.setAttribute("y", up ? middle - height : middle);
      bar.setAttribute("height", height);
      shares[k].setAttribute("y", up ? middle - height - 6 : +middle + height + 18);
      shares[k].textContent = `${Math.round(100 * share)} %`;
    });
    slider.value = frame;
    output.textContent = `${name(run.steps[frame])}: step ${run.steps[frame]}`;
    slider.setAttribute("aria-valuetext", output.textContent);
  }

  function stop() {
    clearInterval(timer);
    timer = null;
    button.textContent = "Play";
  }

  function play() {
    if (timer) return stop();
    if (frame === last) frame = 0;
    if (still.matches) { frame = Math.min(last, frame + 1); return draw(); }   // a step a press, no motion
    draw();
    button.textContent = "Pause";
    timer = setInterval(() => {
      frame += 1;
      draw();
      if (frame >= last) stop();
    }, 220);
  }

  button.addEventListener("click", play);
  slider.addEventListener("input", () => { stop(); frame = Number(slider.value); draw(); });
  still.addEventListener("change", stop);
  controls.hidden = false;
  draw();
})();
