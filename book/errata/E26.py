"""E26: Figure 9, caption: nu is eta_Y / eta_Z, as in the text, not the inverse."""

pairs = [
    (0.5, 5.0),
    (1.0, 10.0),
    (2.0, 20.0),
    (4.0, 40.0),
    (8.0, 80.0),
]  # (eta_Z, eta_Y), left panel
print("nu of the left panel, whose title says 10")
for eta_z, eta_y in pairs:
    print(f"eta_Z = {eta_z}, eta_Y = {eta_y}: caption {eta_z / eta_y}, text {eta_y / eta_z}")
eta_z, eta_y = pairs[0]
print(f"printed {eta_z / eta_y:.12g}")
print(f"corrected {eta_y / eta_z:.12g}")
print("measured 10")
