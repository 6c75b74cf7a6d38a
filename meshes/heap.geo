// SPDX-License-Identifier: GPL-3.0-or-later
// heap.geo -- a heap with the outline (0, 0), (L, 0), (0, L slope) in an empty box: its surface is in the mesh.
// Groups: base, wall (left), right, top.
DefineConstant[
  L = {2.4, Name "length of the heap"}
  slope = {0.3, Name "tangent of its angle"}
  W = {2.8, Name "width of the box, more than L"}
  H = {1.2, Name "height of the box, more than that of the heap"}
  h = {0.14, Name "size of the triangles"}
];
Mesh.MeshSizeMin = h;
Mesh.MeshSizeMax = h;
Point(1) = {0, 0, 0, h};
Point(2) = {L, 0, 0, h};
Point(3) = {0, L * slope, 0, h};
Point(4) = {W, 0, 0, h};
Point(5) = {W, H, 0, h};
Point(6) = {0, H, 0, h};
Line(1) = {1, 2};
Line(2) = {2, 3};
Line(3) = {3, 1};
Line(4) = {2, 4};
Line(5) = {4, 5};
Line(6) = {5, 6};
Line(7) = {6, 3};
Curve Loop(1) = {1 : 3};
Plane Surface(1) = {1};
Curve Loop(2) = {4 : 7, -2};
Plane Surface(2) = {2};
Physical Surface("domain") = {1, 2};
Physical Curve("base") = {1, 4};
Physical Curve("wall") = {3, 7};
Physical Curve("right") = {5};
Physical Curve("top") = {6};
