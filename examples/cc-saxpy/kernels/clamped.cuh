#pragma once

// Defined in clamp.cu: the device link brings it to whoever calls it.
__device__ float clamped(float value, float limit);
