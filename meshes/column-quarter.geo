// SPDX-License-Identifier: GPL-3.0-or-later
// column-quarter.geo -- a quarter of a round column with a taper, in space: x >= 0, y >= 0, with the
// planes of symmetry x = 0 and y = 0 (dimensionless).
//
// Parameters: a  radius at the top
//             H  height
//             taper  of the wall in degrees, positive if it widens downward
//             n  sides across the radius
// Groups:     symmetry, bottom (z = 0), wall, top (z = H)
DefineConstant[
  a = {1, Name "Parameters/a"},
  H = {4, Name "Parameters/H"},
  taper = {2, Name "Parameters/taper"},
  n = {2, Name "Parameters/n"}
];
h = a / n;
b = a + H * Tan(taper * Pi / 180);
Point(1) = {0, 0, 0, h};
Point(2) = {b, 0, 0, h};
Point(3) = {0, b, 0, h};
Point(4) = {0, 0, H, h};
Point(5) = {a, 0, H, h};
Point(6) = {0, a, H, h};
Line(1) = {1, 2};
Circle(2) = {2, 1, 3};
Line(3) = {3, 1};
Line(4) = {4, 5};
Circle(5) = {5, 4, 6};
Line(6) = {6, 4};
Line(7) = {1, 4};
Line(8) = {2, 5};
Line(9) = {3, 6};
Curve Loop(1) = {1, 2, 3};
Curve Loop(2) = {4, 5, 6};
Curve Loop(3) = {1, 8, -4, -7};
Curve Loop(4) = {-3, 9, 6, -7};
Curve Loop(5) = {2, 9, -5, -8};
Plane Surface(1) = {1};
Plane Surface(2) = {2};
Plane Surface(3) = {3};
Plane Surface(4) = {4};
Surface(5) = {5};
Surface Loop(1) = {1 : 5};
Volume(1) = {1};
Physical Surface("bottom") = {1};
Physical Surface("wall") = {5};
Physical Surface("top") = {2};
Physical Surface("symmetry") = {3, 4};
Physical Volume("domain") = {1};
