"""Names for arrays in signatures: of floats, of whole numbers such as token ids, of booleans."""

from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array: TypeAlias = NDArray[np.floating]
Ids: TypeAlias = NDArray[np.int64]
Mask: TypeAlias = NDArray[np.bool_]

__all__ = ["Array", "ArrayLike", "Ids", "Mask"]
