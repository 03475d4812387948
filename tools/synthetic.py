#!/usr/bin/env python3
"""Makes a crate of many small CUDA units, to measure how occlint does on large trees. The same arguments make the same files.

    python3 tools/synthetic.py FOLDER --units N [--kernels K] [--archs sm_90,sm_120]

N units in eight folders, each with a header of its own over headers that all share, K kernels a unit (default 3), most of them instances
of templates. One unit in 25 is heavy, five to ten times the work of the others, and has one kernel that spills: the only finding, a
warning, so that `cargo occlint` exits with 0. The crate pins CUDA 13.0.
"""

import argparse
from pathlib import Path

MANIFEST = """\
[package]
name = "synthetic"
version = "0.0.0"
edition = "2024"
publish = false

[workspace]

[package.metadata.occlint]
cuda = "13.0"
archs = [{archs}]
sources = ["kernels/**/*.cu"]
include = ["kernels/include"]
"""

SHARED = {
    "types.cuh": """\
#pragma once

/// A view of a row-major matrix.
template <typename T>
struct Matrix {
    T* data;
    int rows, columns;

    __device__ T& at(int row, int column) const { return data[row * columns + column]; }
};

__device__ inline int global_index() { return blockIdx.x * blockDim.x + threadIdx.x; }
""",
    "map.cuh": """\
#pragma once
#include "types.cuh"

/// Applies `Op` to each element.
template <typename T, typename Op>
__global__ void __launch_bounds__(256) map(T* out, const T* in, int n) {
    for (int i = global_index(); i < n; i += gridDim.x * blockDim.x) out[i] = Op::apply(in[i]);
}
""",
    "reduce.cuh": """\
#pragma once
#include "types.cuh"

/// Sums `Op` of all elements, one result a block.
template <typename T, int THREADS, typename Op>
__global__ void __launch_bounds__(THREADS) reduce(T* out, const T* in, int n) {
    __shared__ T parts[THREADS];
    T sum = T(0);
    for (int i = global_index(); i < n; i += gridDim.x * THREADS) sum += Op::apply(in[i]);
    parts[threadIdx.x] = sum;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) parts[threadIdx.x] += parts[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = parts[0];
}
""",
    "tile.cuh": """\
#pragma once
#include "types.cuh"

/// A product of matrices, `EACH` × `EACH` results a thread.
template <typename T, int TILE, int EACH>
__global__ void __launch_bounds__((TILE / EACH) * (TILE / EACH)) product(Matrix<T> c, Matrix<T> a, Matrix<T> b) {
    constexpr int SIDE = TILE / EACH;
    __shared__ T left[TILE][TILE], right[TILE][TILE];
    const int x = threadIdx.x % SIDE, y = threadIdx.x / SIDE;
    T sums[EACH][EACH] = {};
    for (int k = 0; k < a.columns; k += TILE) {
#pragma unroll
        for (int i = 0; i < EACH; ++i)
#pragma unroll
            for (int j = 0; j < EACH; ++j) {
                const int row = y * EACH + i, column = x * EACH + j;
                left[row][column] = a.at(blockIdx.y * TILE + row, k + column);
                right[row][column] = b.at(k + row, blockIdx.x * TILE + column);
            }
        __syncthreads();
#pragma unroll
        for (int step = 0; step < TILE; ++step)
#pragma unroll
            for (int i = 0; i < EACH; ++i)
#pragma unroll
                for (int j = 0; j < EACH; ++j) sums[i][j] += left[y * EACH + i][step] * right[step][x * EACH + j];
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < EACH; ++i)
#pragma unroll
        for (int j = 0; j < EACH; ++j) c.at(blockIdx.y * TILE + y * EACH + i, blockIdx.x * TILE + x * EACH + j) = sums[i][j];
}
""",
    "wide.cuh": """\
#pragma once
#include "types.cuh"

/// Keeps `WIDTH` values at once, more than its bounds leave registers for.
template <int WIDTH, typename Op>
__global__ void __launch_bounds__(256, 4) wide(float* out, const float* in, int rounds) {
    float live[WIDTH];
#pragma unroll
    for (int i = 0; i < WIDTH; ++i) live[i] = in[global_index() * WIDTH + i];
    for (int round = 0; round < rounds; ++round)
#pragma unroll
        for (int i = 0; i < WIDTH; ++i) live[i] = Op::apply(live[i]) * live[(i * 7 + 3) % WIDTH];
#pragma unroll
    for (int i = 0; i < WIDTH; ++i) out[global_index() * WIDTH + i] = live[i];
}
""",
}

FOLDERS = ["activation", "attention", "convolution", "embedding", "normalize", "pooling", "quantize", "sample"]
HEAVY = 25


def operation(folder, number):
    """What the kernels of a unit do to an element: a few of a kind, with constants of the unit."""
    bodies = ["x * T({0}) + T({1})", "x > T({0}) ? x : T({1}) * x", "x * x * T({1}) - T({0})", "(x + T({1})) / (x * x + T({0}))"]
    body = bodies[number % len(bodies)].format(number % 97 + 1, number % 13 + 2)
    return (
        "struct Op {\n    template <typename T>\n    static __device__ T apply(T x) {\n"
        f"        return {folder}::prepare({body});\n    }}\n}};\n"
    )


def instance(unit, number):
    """The template and arguments of one kernel of a unit; `None`: it has a kernel of its own."""
    kind, step = (unit + number) % 3, number // 3
    if kind == 0 and step < 4:
        real = ["float", "double", "int", "unsigned"][step]
        return f"map<{real}, Op>({real}*, const {real}*, int)"
    if kind == 1 and step < 4:
        return f"reduce<float, {64 << step}, Op>(float*, const float*, int)"
    return None


def plain(number):
    return (
        f"__global__ void __launch_bounds__({64 * (1 + number % 8)}) plain_{number}(float* out, const float* in, int n) {{\n"
        f"    const int i = global_index();\n    if (i + {number} < n) out[i] = Op::apply(in[i]) + in[i + {number}];\n}}\n"
    )


def heavy(unit):
    """What a heavy unit has beside: products, and the kernel that spills."""
    tiles = [("float", 16, 2), ("float", 32, 4), ("double", 16, 2), ("float", 64, 8)]
    for real, tile, each in tiles[: 3 + unit // HEAVY % 2]:
        yield f"product<Own<{real}>, {tile}, {each}>(" + ", ".join(3 * [f"Matrix<Own<{real}>>"]) + ")"
    yield "wide<96, Op>(float*, const float*, int)"


# Products have no operation: a type of the unit keeps them apart from those of other units.
OWN = """\
template <typename T>
struct Own {
    T value;
    __device__ Own() {}
    __device__ Own(T of) : value(of) {}
    __device__ Own operator*(Own other) const { return value * other.value; }
    __device__ Own& operator+=(Own other) { return value += other.value, *this; }
};
"""


def source(unit, folder, kernels):
    is_heavy = unit % HEAVY == 2
    headers = [f"{folder}.cuh", "map.cuh", "reduce.cuh"] + (["tile.cuh", "wide.cuh"] if is_heavy else [])
    instances = [instance(unit, number) for number in range(kernels)]
    own = [plain(number) for number, made in enumerate(instances) if made is None]
    made = [made for made in instances if made is not None] + (list(heavy(unit)) if is_heavy else [])
    space = f"unit_{unit:05}"
    return (
        "".join(f'#include "{header}"\n' for header in headers)
        + f"\nnamespace {space} {{\n{operation(folder, unit)}{OWN if is_heavy else ''}{''.join(own)}}}\n"
        + f"using namespace {space};\n"
        + "".join(f"template __global__ void {each};\n" for each in made)
    )


def folder_header(number, folder):
    return (
        f'#pragma once\n#include "types.cuh"\n\nnamespace {folder} {{\n/// What all units of the folder do first.\n'
        f"template <typename T>\n__device__ T prepare(T x) {{\n    return x + T({number + 1});\n}}\n}}\n"
    )


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="a folder that is not there yet")
    parser.add_argument("--units", type=int, required=True)
    parser.add_argument("--kernels", type=int, default=3)
    parser.add_argument("--archs", default="sm_90")
    options = parser.parse_args()
    root = options.folder
    if root.exists():
        parser.error(f"{root} exists")
    if options.units < 1 or options.kernels < 1:
        parser.error("a crate has at least one unit of one kernel")
    archs = ", ".join(f'"{arch}"' for arch in options.archs.split(","))
    write(root / "Cargo.toml", MANIFEST.format(archs=archs))
    write(root / "src/lib.rs", "")
    for name, text in SHARED.items():
        write(root / "kernels/include" / name, text)
    for number, folder in enumerate(FOLDERS):
        write(root / f"kernels/{folder}/{folder}.cuh", folder_header(number, folder))
    for unit in range(options.units):
        folder = FOLDERS[unit % len(FOLDERS)]
        write(root / f"kernels/{folder}/unit_{unit:05}.cu", source(unit, folder, options.kernels))


if __name__ == "__main__":
    main()
