#pragma once

#include <span>
#include <vector>

#include "bodies/soft_cut.hpp"

/// Elements of a lattice in blocks with boxes: elements near a blade are found without a test of all others.
namespace carom::solid {

/// Elements of a block, which have consecutive numbers: part of a row of the lattice, so it is near a blade seldom.
/// Half as many take twice as long to place; twice as many hold more elements that are not near.
inline constexpr std::size_t block_elements = 32;
/// Nodes that have a box together while boxes of elements are made.
inline constexpr std::size_t block_nodes = 64;

/// Blocks of nodes, ascending, that each block of elements has: of its elements, and of the neighbors of these in
/// positive directions.
std::vector<std::vector<Index>> list_node_blocks(const CutLattice& lattice);
/// Adds the block of a node that an element has got.
void add_node_block(std::size_t element, Index node, CutLattice& lattice);

/// Boxes of the blocks of elements of a body that can be cut, while its nodes go from `start` to where they are.
void place_boxes(std::span<const Eigen::Vector3d> start, BodyState& state);

}  // namespace carom::solid
