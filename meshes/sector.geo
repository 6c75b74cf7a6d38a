// SPDX-License-Identifier: GPL-3.0-or-later
// sector.geo -- half of a plane wedge between two arcs, symmetry axis x = 0, apex in the origin,
// which is below (dimensionless).
//
// Parameters: r1, r2  radii of the arcs
//             angle   of the wall with the vertical, in degrees
//             n       sides across the half wedge: their length grows with the radius
// Groups:     axis (x = 0), inner and outer (arcs), wall
DefineConstant[
  r1 = {1, Name "Parameters/r1"},
  r2 = {4, Name "Parameters/r2"},
  angle = {20, Name "Parameters/angle"},
  n = {6, Name "Parameters/n"}
];
a = angle * Pi / 180;
Point(1) = {0, r1, 0, r1 * a / n};
Point(2) = {r1 * Sin(a), r1 * Cos(a), 0, r1 * a / n};
Point(3) = {r2 * Sin(a), r2 * Cos(a), 0, r2 * a / n};
Point(4) = {0, r2, 0, r2 * a / n};
Point(5) = {0, 0, 0, r1};
Circle(1) = {1, 5, 2};
Line(2) = {2, 3};
Circle(3) = {3, 5, 4};
Line(4) = {4, 1};
Curve Loop(1) = {1 : 4};
Plane Surface(1) = {1};
Physical Curve("inner") = {1};
Physical Curve("wall") = {2};
Physical Curve("outer") = {3};
Physical Curve("axis") = {4};
Physical Surface("grains") = {1};
