// SPDX-License-Identifier: GPL-3.0-or-later
// cylinder-box.geo -- half of a box around a cylinder of diameter 1, symmetry axis x = 0:
// 0 <= x <= W/2, -H/2 <= y <= H/2 outside the unit circle around the origin (dimensionless).
//
// Parameters: W      width of the box (the whole of it)
//             H      height of the box
//             h      size of the sides at the box
//             n      sides on the half circle, about
//             near   sides stay as on the circle up to this distance from it, and grow from there
//             reach  to h at this distance
// Groups:     axis (x = 0, above and below the cylinder), box (the other three sides), cylinder
DefineConstant[
  W = {8, Name "Parameters/W"},
  H = {8, Name "Parameters/H"},
  h = {0.5, Name "Parameters/h"},
  n = {32, Name "Parameters/n"},
  near = {0, Name "Parameters/near"},
  reach = {2, Name "Parameters/reach"}
];
Point(1) = {0, -H / 2, 0};
Point(2) = {W / 2, -H / 2, 0};
Point(3) = {W / 2, H / 2, 0};
Point(4) = {0, H / 2, 0};
Point(5) = {0, 0.5, 0};
Point(6) = {0.5, 0, 0};
Point(7) = {0, -0.5, 0};
Point(8) = {0, 0, 0};
Line(1) = {1, 2};
Line(2) = {2, 3};
Line(3) = {3, 4};
Line(4) = {4, 5};
Circle(5) = {5, 8, 6};
Circle(6) = {6, 8, 7};
Line(7) = {7, 1};
Curve Loop(1) = {1 : 7};
Plane Surface(1) = {1};
fine = Pi / 2 / n;
Field[1] = MathEval;
Field[1].F = Sprintf("max(%g, min(%g, %g + %g * (sqrt(x^2 + y^2) - 0.5 - %g)))",
                     fine, h, fine, (h - fine) / (reach - near), near);
Background Field = 1;
Mesh.MeshSizeExtendFromBoundary = 0; // the field alone gives the sizes
Mesh.MeshSizeFromPoints = 0;
Physical Curve("box") = {1, 2, 3};
Physical Curve("axis") = {4, 7};
Physical Curve("cylinder") = {5, 6};
Physical Surface("domain") = {1};
