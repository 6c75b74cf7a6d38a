// SPDX-License-Identifier: GPL-3.0-or-later
// A drum of radius 1, seen along its axis, with the level of the grains in the mesh.
// Groups: wall.
DefineConstant[
  level = {0.0, Name "height of the level, the axis being at 0"}
  h = {0.17, Name "size of the triangles"}
];
Mesh.MeshSizeMin = h;
Mesh.MeshSizeMax = h;
b = Sqrt(1 - level * level);
Point(1) = {0, 0, 0, h};
Point(2) = {-b, level, 0, h};
Point(3) = {0, -1, 0, h};
Point(4) = {b, level, 0, h};
Point(5) = {0, 1, 0, h};
Circle(1) = {2, 1, 3};
Circle(2) = {3, 1, 4};
Circle(3) = {4, 1, 5};
Circle(4) = {5, 1, 2};
Line(5) = {2, 4};
Curve Loop(1) = {1, 2, -5};
Plane Surface(1) = {1};
Curve Loop(2) = {3, 4, 5};
Plane Surface(2) = {2};
Physical Surface("domain") = {1, 2};
Physical Surface("grains") = {1};
Physical Curve("wall") = {1, 2, 3, 4};
