// SPDX-License-Identifier: GPL-3.0-or-later
// cylinder.geo -- half of a vertical channel of width 1 around a cylinder, symmetry axis x = 0:
// 0 <= x <= 1/2, 0 <= y <= L outside the circle of diameter D around (0, centre) (dimensionless).
//
// Parameters: D       diameter of the cylinder, below 1
//             L       length of the channel
//             centre  height of the centre of the cylinder; 0: half of the length
//             h       size of the sides far from the cylinder
//             n       sides on the half circle, about
//             reach   sides grow from these to h over this distance, in diameters
// Groups:     axis (x = 0, above and below the cylinder), side (x = 1/2), cylinder,
//             top (y = L, upstream), bottom (y = 0, downstream)
DefineConstant[
  D = {0.25, Name "Parameters/D"},
  L = {4, Name "Parameters/L"},
  centre = {0, Name "Parameters/centre"},
  h = {0.1, Name "Parameters/h"},
  n = {16, Name "Parameters/n"},
  reach = {2, Name "Parameters/reach"}
];
y = centre > 0 ? centre : L / 2;
Point(1) = {0, 0, 0};
Point(2) = {0.5, 0, 0};
Point(3) = {0.5, L, 0};
Point(4) = {0, L, 0};
Point(5) = {0, y + D / 2, 0};
Point(6) = {D / 2, y, 0};
Point(7) = {0, y - D / 2, 0};
Point(8) = {0, y, 0};
Line(1) = {1, 2};
Line(2) = {2, 3};
Line(3) = {3, 4};
Line(4) = {4, 5};
Circle(5) = {5, 8, 6};
Circle(6) = {6, 8, 7};
Line(7) = {7, 1};
Curve Loop(1) = {1 : 7};
Plane Surface(1) = {1};
fine = Pi * D / 2 / n;
Field[1] = MathEval; // from that on the circle to h, linear in the distance from it
Field[1].F = Sprintf("min(%g, %g + %g * (sqrt(x^2 + (y - %g)^2) - %g))",
                     h, fine, (h - fine) / (reach * D), y, D / 2);
Background Field = 1;
Mesh.MeshSizeExtendFromBoundary = 0; // the field alone gives the sizes
Mesh.MeshSizeFromPoints = 0;
Physical Curve("bottom") = {1};
Physical Curve("side") = {2};
Physical Curve("top") = {3};
Physical Curve("axis") = {4, 7};
Physical Curve("cylinder") = {5, 6};
Physical Surface("domain") = {1};
