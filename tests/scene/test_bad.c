// SPDX-License-Identifier: Apache-2.0
// Bad scenes are refused, and the message names the file, the place, the value and what is allowed. Each row of the
// table is one slip in an otherwise good scene: a piece of its text and what stands there instead.
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "thaw/thaw.h"

// Good, with ' for ".
static const char solid[] =
    "{'thaw': 1, 'title': 'A bar', 'dimension': 3, 'gravity': [0, 0, -9.81],\n"
    " 'time': {'step': 0.01, 'steps': 600, 'integrator': 'newton', 'newton_tolerance': 1e-6,\n"
    "          'newton_iterations': 50, 'halvings': 6, 'corrections': 2, 'projection': 'always'},\n"
    " 'solver': {'name': 'pcg', 'tolerance': 1e-8},\n"
    " 'output': {'every': 5, 'formats': ['vtu', 'obj'], 'checkpoint_every': 100},\n"
    " 'materials': {'rubber': {'model': 'stable-neo-hookean', 'constants': 'matched', 'density': 1000, 'young': 1e6,\n"
    "                          'poisson': 0.4, 'alpha0': 0, 'alpha1': 0.001},\n"
    "               'steel': {'model': 'stvk'}},\n"
    " 'shapes': {'bar': {'mesh': {'box': {'min': [0, 0, 0], 'max': [2, 1, 1], 'cells': [2, 1, 1]}},\n"
    "                    'scale': 1, 'rotate': {'axis': [0, 0, 1], 'degrees': 0}, 'material': 'rubber',\n"
    "                    'regions': {'default': 'steel'},\n"
    "                    'groups': {'left': {'box': {'min': [-1, -1, -1], 'max': [0.1, 2, 2]}},\n"
    "                               'ball': {'sphere': {'centre': [2, 1, 1], 'radius': 0.5}},\n"
    "                               'half': {'side': {'point': [1, 0, 0], 'normal': [1, 0, 0]}},\n"
    "                               'tip': {'nearest': [2, 0, 0]}, 'floor': {'mesh': 'z-min'}, 'any': 'all'}},\n"
    "            'beam': {'mesh': {'beam': {'length': 1, 'width': 0.1, 'height': 0.1, 'size': 0.1}},\n"
    "                     'material': 'steel'}},\n"
    " 'bodies': [{'name': 'one', 'shape': 'bar', 'method': 'full', 'position': [0, 0, 1],\n"
    "             'rotation': {'axis': [0, 1, 0], 'degrees': 10}, 'velocity': [1, 0, 0], 'spin': [0, 0, 2],\n"
    "             'pins': ['left', {'group': 'floor', 'release': 2}],\n"
    "             'scripts': [{'group': 'tip', 'centre': [2, 0, 1], 'interpolation': 'smooth', 'release': 3,\n"
    "                          'keys': [{'time': 0}, {'time': 1, 'translation': [0, 0, 1],\n"
    "                                    'rotation': {'axis': [0, 0, 1], 'degrees': 170}}]}],\n"
    "             'forces': [{'group': 'ball', 'total': [0, 0, 5], 'from': 0.5, 'to': 1, 'ramp': 0.1}]},\n"
    "            {'name': 'two', 'shape': 'beam'}]}\n";

static const char plane[] =
    "{'thaw': 1, 'dimension': 2, 'gravity': [0, -9.81], 'materials': {'rubber': {}},\n"
    " 'shapes': {'strip': {'mesh': {'beam': {'length': 1, 'height': 0.1, 'size': 0.1}}, 'material': 'rubber',\n"
    "            'scale': [1, 2], 'rotate': {'degrees': 30}, 'thickness': 0.1}},\n"
    " 'bodies': [{'shape': 'strip', 'spin': 2, 'position': [0, 1]}]}\n";

typedef struct Slip {
    const char *right, *wrong;  // the first occurrence of `right` becomes `wrong`
    const char *place;          // how the message must begin, after the file
    const char *says, *allowed; // what it must contain; allowed may be NULL
} Slip;

static const Slip solid_slips[] = {
    // not JSON
    {"'thaw': 1,", "'thaw': 1", ":1:", "near", "allowed: JSON"},
    {"'obj'],", "'obj',],", ":5:", "unexpected token", "a comma too many"},
    {"'steel'}},\n 'bodies'", "'steel'}}\n 'bodies'", ":18:", "'}' expected", "is a comma or a brace missing"},
    {"{'name': 'pcg'", "{name: 'pcg'", ":4:", "string or '}' expected", "keys need double quotes"},
    {"'tolerance': 1e-8", "'name': 'auto'", ":4:", "duplicate object key", NULL},
    {"'A bar'", "'A\n bar'", ":1:", "", NULL},
    {"'A bar'", "'A \\u0000 bar'", ":1:", "\\u0000", NULL},
    {"'step': 0.01", "'step': 1e999", ":2:", "overflow", NULL},
    {"'steps': 600", "'steps': 99999999999999999999", ":2:", "too big", NULL},
    {"'step': 0.01", "'step': .01", ":2:", "invalid token", NULL},
    {" 'solver'", " /* never ends 'solver'", ":4:2:", "never ends", "/* ... */"},
    {"'two', 'shape': 'beam'}]}", "'two', 'shape': 'beam'}]} {}", ":25:", "end of file expected", NULL},
    // the document
    {"'thaw': 1,", "", ": ", "\"thaw\" is missing", NULL},
    {"'thaw': 1", "'thaw': 2", ": thaw: ", "out of range (value 2)", "allowed: 1"},
    {"'thaw': 1", "'thaw': 'one'", ": thaw: ", "wrong type", "allowed: 1"},
    {"'title': 'A bar'", "'title': 5", ": title: ", "wrong type (value 5)", "a text"},
    {"'title'", "'rigidify': {'tau': 1}, 'title'", ": rigidify.tau: ", "unknown key", "did you mean \"tau_rigid\"?"},
    {"'title'", "'rigidify': {'sleep': 1}, 'title'", ": rigidify.sleep: ", "out of range (value 1)",
     "0 (never), or 2 to 255"},
    {"'title'", "'rigidify': {'sleep': 300}, 'title'", ": rigidify.sleep: ", "out of range (value 300)", "to 255"},
    {"'title'", "'rigidify': {'hold': 2.5}, 'title'", ": rigidify.hold: ", "wrong type (value 2.5)", "from 0 to 255"},
    {"'title'", "'rigidify': {'tau_rigid': 0}, 'title'", ": rigidify.tau_rigid: ", "(value 0)", "greater than 0"},
    {"'title'", "'rigidify': {'epsilon': 1e31}, 'title'", ": rigidify.epsilon: ", "(value 1e31)", "at most 1e+30"},
    {"'title'", "'rigidify': {'split_gravity': 1}, 'title'", ": rigidify.split_gravity: ", "(value 1)",
     "true or false"},
    {"'title'", "'rigidify': {'oracle': 'papers'}, 'title'", ": rigidify.oracle: ", "\"papers\"", "static, paper"},
    {"'title'", "'rigidify': 'paper', 'title'", ": rigidify: ", "wrong type", "an object"},
    {"'title'", "'full': {}, 'title'", ": full: ", "unknown key", NULL},
    {"'shape': 'beam'}", "'shape': 'beam', 'rigidify': {'tolerance': 2}}",
     ": bodies[1].rigidify.tolerance: ", "out of range (value 2)", "at most 1"},
    {"'shape': 'beam'}", "'shape': 'beam', 'rigidify': {'sleep': 1}}",
     ": bodies[1].rigidify.sleep: ", "out of range (value 1)", "0 (never), or 2 to 255"},
    {"'shape': 'beam'}", "'shape': 'beam', 'rigidify': {'tol': 2}}", ": bodies[1].rigidify.tol: ", "unknown key",
     "did you mean \"tolerance\"?"},
    {"'shape': 'beam'}", "'shape': 'beam', 'rigidify': [1]}", ": bodies[1].rigidify: ", "wrong type", "an object"},
    {"'title'", "'rigidify': {'eps': 1}, 'title'", ": rigidify.eps: ", "unknown key", "did you mean \"epsilon\"?"},
    {"'title'", "'titel'", ": titel: ", "unknown key (value \"titel\")", "did you mean \"title\"?"},
    {"'title'", "'gravitation'", ": gravitation: ", "unknown key", "thaw, shapes, bodies, materials"},
    {"'dimension': 3", "'dimension': 4", ": dimension: ", "out of range (value 4)", "allowed: 2 or 3"},
    {"-9.81]", "'down']", ": gravity[2]: ", "wrong type (value \"down\")", "a number"},
    {", -9.81]", "]", ": gravity: ", "not a vector (value [0,0])", "an array of 3 numbers"},
    {"[0, 0, -9.81]", "9.81", ": gravity: ", "not a vector (value 9.81)", "3 numbers"},
    {"-9.81", "-1e31", ": gravity[2]: ", "out of range (value -1e31)", "at least -1e+30"},
    // settings
    {"'step': 0.01", "'step': 0", ": time.step: ", "out of range (value 0)", "1e-09"},
    {"'step': 0.01", "'step': -0.01", ": time.step: ", "out of range (value -0.01)", "at most 10"},
    {"'step': 0.01", "'step': true", ": time.step: ", "wrong type (value true)", "a number"},
    {"'step': 0.01", "'stepp': 0.01", ": time.stepp: ", "unknown key", "did you mean \"step\"?"},
    {"'steps': 600", "'steps': 0", ": time.steps: ", "out of range (value 0)", "from 1 to 1000000000"},
    {"'steps': 600", "'steps': 1.5", ": time.steps: ", "wrong type (value 1.5)", "an integer"},
    {"'newton',", "'Newtom',", ": time.integrator: ", "semi-implicit, newton", "did you mean \"newton\"?"},
    {"'newton',", "null,", ": time.integrator: ", "wrong type (value null)", "a text"},
    {"'newton_tolerance': 1e-6", "'newton_tolerance': 1", ": time.newton_tolerance: ", "(value 1)", "less than 1"},
    {"'newton_iterations': 50", "'newton_iterations': 0", ": time.newton_iterations: ", "(value 0)", "from 1"},
    {"'corrections': 2", "'corrections': 101", ": time.corrections: ", "(value 101)", "from 0 to 100"},
    {"'halvings': 6", "'halvings': 21", ": time.halvings: ", "(value 21)", "from 0 to 20"},
    {"'projection': 'always'", "'projection': 'maybe'", ": time.projection: ", "\"maybe\"",
     "when-needed, always, never"},
    {"'name': 'pcg'", "'name': 'gcp'", ": solver.name: ", "\"gcp\"", "auto, pcg, cholmod"},
    {"'tolerance': 1e-8", "'tolerance': 0", ": solver.tolerance: ", "(value 0)", "greater than 0"},
    {"'solver': {'name': 'pcg', 'tolerance': 1e-8}", "'solver': 'pcg'", ": solver: ", "wrong type", "an object"},
    {"'every': 5", "'every': 0", ": output.every: ", "(value 0)", "from 1"},
    {"'checkpoint_every': 100", "'checkpoint_every': -1", ": output.checkpoint_every: ", "(value -1)", "from 0"},
    {"['vtu', 'obj']", "'vtu'", ": output.formats: ", "wrong type (value \"vtu\")", "an array"},
    {"['vtu', 'obj']", "['vtu', 'usd']", ": output.formats[1]: ", "unknown format (value \"usd\")", "vtu, obj, ply"},
    {"['vtu', 'obj']", "['vtu', 'vtu']", ": output.formats[1]: ", "twice", "each format once"},
    {"['vtu', 'obj']", "[5]", ": output.formats[0]: ", "wrong type (value 5)", "a text"},
    // materials
    {"'model': 'stable-neo-hookean'", "'model': 'stable-neohookean'", ": materials.rubber.model: ", "unknown name",
     "did you mean \"stable-neo-hookean\"?"},
    {"'constants': 'matched'", "'constants': 'unmatched'", ": materials.rubber.constants: ", "matched, unmodified",
     "did you mean"},
    {"{'model': 'stvk'}", "{'model': 'stvk', 'constants': 'matched'}",
     ": materials.steel.constants: ", "only the model stable-neo-hookean", "leave it out"},
    {"'density': 1000", "'density': 0", ": materials.rubber.density: ", "(value 0)", "at least 1e-12"},
    {"'young': 1e6", "'young': -1", ": materials.rubber.young: ", "(value -1)", "greater than 0"},
    {"'young': 1e6", "'youngs': 1", ": materials.rubber.youngs: ", "unknown key", "did you mean \"young\"?"},
    {"'poisson': 0.4", "'poisson': 0.5", ": materials.rubber.poisson: ", "(value 0.5)", "less than 0.5"},
    {"'poisson': 0.4", "'poisson': -1", ": materials.rubber.poisson: ", "(value -1)", "greater than -1"},
    {"'alpha0': 0", "'alpha0': -0.1", ": materials.rubber.alpha0: ", "(value -0.1)", "at least 0"},
    {"'alpha1': 0.001", "'alpha1': '1ms'", ": materials.rubber.alpha1: ", "wrong type (value \"1ms\")", "a number"},
    {"'alpha0': 0", "'fibre': {}", ": materials.rubber.fibre: ", "\"stiffness\" is missing", NULL},
    {"'alpha0': 0", "'fibre': {'stiffness': -1}", ": materials.rubber.fibre.stiffness: ", "(value -1)", "at least 0"},
    {"'alpha0': 0", "'fibre': {'stiffness': 1, 'slack': 2}", ": materials.rubber.fibre.slack: ", "wrong type (value 2)",
     "true or false"},
    {"{'model': 'stvk'}", "'stvk'", ": materials.steel: ", "wrong type", "an object"},
    {"'steel': {", "'': {", ": materials[\"\"]: ", "an empty name", "one or more characters"},
    // meshes
    {"'box': {'min': [0, 0, 0], 'max': [2, 1, 1], 'cells': [2, 1, 1]}", "'file': 'nowhere.msh'",
     ": shapes.bar.mesh.file: ", "nowhere.msh", NULL},
    {"'box': {'min': [0, 0, 0], 'max': [2, 1, 1], 'cells': [2, 1, 1]}", "'file': 'nowhere.stl'",
     ": shapes.bar.mesh.file: ", "nowhere.stl", NULL},
    {"'box': {'min': [0, 0, 0], 'max': [2, 1, 1], 'cells': [2, 1, 1]}", "'file': 7",
     ": shapes.bar.mesh.file: ", "wrong type (value 7)", "a text"},
    {"{'box': {'min': [0, 0, 0], 'max': [2, 1, 1], 'cells': [2, 1, 1]}}", "{}",
     ": shapes.bar.mesh: ", "a key is missing", "exactly one of file, box, beam"},
    {"{'box': {'min': [0, 0, 0]", "{'file': 'a.msh', 'box': {'min': [0, 0, 0]", ": shapes.bar.mesh: ", "more than one",
     "exactly one of file, box, beam"},
    {"{'box': {'min': [0, 0, 0]", "{'bocks': {'min': [0, 0, 0]", ": shapes.bar.mesh.bocks: ", "unknown key",
     "file, box, beam"},
    {"'max': [2, 1, 1]", "'max': [2, 0, 1]", ": shapes.bar.mesh.box: ", "an empty box", "min less than max"},
    {"'cells': [2, 1, 1]", "'cells': [2, 0, 1]", ": shapes.bar.mesh.box.cells: ", "(value [2,0,1])", "integers"},
    {"'cells': [2, 1, 1]", "'cells': [2, 1.5, 1]", ": shapes.bar.mesh.box.cells: ", "(value [2,1.5,1])", "integers"},
    {"'cells': [2, 1, 1]", "'cells': [2, 1]", ": shapes.bar.mesh.box.cells: ", "not a vector", "3 numbers"},
    {"'cells': [2, 1, 1]", "'cells': [2000, 2000, 2000]", ": shapes.bar.mesh.box: ", "too fine (value 4.8e+10",
     "at most 2e+07"},
    {", 'cells': [2, 1, 1]", "", ": shapes.bar.mesh.box: ", "\"cells\" is missing", NULL},
    {"'length': 1, ", "", ": shapes.beam.mesh.beam: ", "\"length\" is missing", NULL},
    {"'size': 0.1", "'size': 0", ": shapes.beam.mesh.beam.size: ", "(value 0)", "greater than 0"},
    {"'size': 0.1", "'size': 1e-9", ": shapes.beam.mesh.beam: ", "too fine", "at most"},
    // shapes
    {"'scale': 1", "'fibres': [0, 0, 0]", ": shapes.bar.fibres: ", "no direction", "other than 0"},
    {"'scale': 1", "'fibres': {'helix': {'axis': [0, 0, 0]}}", ": shapes.bar.fibres.helix.axis: ", "no direction",
     "other than 0"},
    {"'scale': 1", "'fibres': {'helix': {'axis': [0, 0, 1], 'angle': 91}}",
     ": shapes.bar.fibres.helix.angle: ", "(value 91)", "at most 90"},
    {"'scale': 1", "'stiffness': {'from': [0, 0, 0], 'to': [0, 0, 0], 'factors': [1, 2]}",
     ": shapes.bar.stiffness.to: ", "no length", "another point"},
    {"'scale': 1", "'stiffness': {'from': [0, 0, 0], 'to': [1, 0, 0], 'factors': [1, 0]}",
     ": shapes.bar.stiffness.factors[1]: ", "(value 0)", "greater than 0"},
    {"'scale': 1", "'scale': 0", ": shapes.bar.scale: ", "a scale of zero (value 0)", "without zeros"},
    {"'scale': 1", "'scale': [1, 0, 1]", ": shapes.bar.scale: ", "a scale of zero", "without zeros"},
    {"'scale': 1", "'scale': 'big'", ": shapes.bar.scale: ", "not a vector (value \"big\")", "3 numbers"},
    {"'scale': 1", "'scale': 1e-300", ": shapes.bar", "the mesh cannot be simulated", NULL},
    {"'scale': 1", "'thickness': 1", ": shapes.bar.thickness: ", "no thickness", "thickness of sheets, or"},
    {"'axis': [0, 0, 1]", "'axis': [0, 0, 0]", ": shapes.bar.rotate.axis: ", "without a direction", "but zero"},
    {"'axis': [0, 0, 1], ", "", ": shapes.bar.rotate: ", "\"axis\" is missing", NULL},
    {"'degrees': 0", "'degrees': 1e6", ": shapes.bar.rotate.degrees: ", "(value 1000000.0)", "at most 36000"},
    {"'material': 'rubber'", "'material': 'ruber'", ": shapes.bar.material: ", "unknown material (value \"ruber\")",
     "did you mean \"rubber\"?"},
    {"'material': 'rubber',", "", ": shapes.bar: ", "\"material\" is missing", NULL},
    {"{'default': 'steel'}", "{'default': 'granite'}", ": shapes.bar.regions.default: ", "unknown material",
     "allowed: rubber, steel"},
    {"{'default': 'steel'}", "{'default': 'aluminum'}", ": shapes.bar.regions.default: ", "unknown material",
     "did you mean \"aluminium\"?"},
    {"{'model': 'stvk'}", "{'like': 'stele'}",
     ": materials.steel.like: ", "the library has no such material (value \"stele\")", "did you mean \"steel\"?"},
    {"{'model': 'stvk'}", "{'like': {}}", ": materials.steel.like: ", "wrong type", "a text"},
    {"{'model': 'stvk'}", "{'like': 'wood', 'constants': 'matched'}",
     ": materials.steel.constants: ", "only the model stable-neo-hookean", "leave it out"},
    {"{'model': 'stvk'}", "{'like': 'wood', 'young': 0}", ": materials.steel.young: ", "(value 0)", "greater than 0"},
    {"{'default': 'steel'}", "{'defolt': 'steel'}", ": shapes.bar.regions.defolt: ", "no such region",
     "did you mean \"default\"?"},
    {"{'default': 'steel'}", "['steel']", ": shapes.bar.regions: ", "wrong type", "an object"},
    // groups
    {"'max': [0.1, 2, 2]", "'max': [-2, 2, 2]", ": shapes.bar.groups.left.box: ", "an empty box", "min at most max"},
    {"'max': [0.1, 2, 2]", "'max': [-0.1, 2, 2]", ": shapes.bar.groups.left: ", "no vertex", "(0, 0, 0) to (2, 1, 1)"},
    {"'radius': 0.5", "'radius': -0.5", ": shapes.bar.groups.ball.sphere.radius: ", "(value -0.5)", "at least 0"},
    {"'radius'", "'diameter'", ": shapes.bar.groups.ball.sphere.diameter: ", "unknown key", "centre, radius"},
    {"'centre': [2, 1, 1]", "'centre': [9, 9, 9]", ": shapes.bar.groups.ball: ", "no vertex", "(2, 1, 1)"},
    {"'normal': [1, 0, 0]", "'normal': [0, 0, 0]", ": shapes.bar.groups.half.side.normal: ", "without a direction",
     NULL},
    {"'nearest': [2, 0, 0]", "'nearest': 2", ": shapes.bar.groups.tip.nearest: ", "not a vector (value 2)",
     "3 numbers"},
    {"{'mesh': 'z-min'}", "{'mesh': 'zmin'}", ": shapes.bar.groups.floor.mesh: ", "unknown group (value \"zmin\")",
     "did you mean \"z-min\"?"},
    {"'any': 'all'", "'any': 'every'", ": shapes.bar.groups.any: ", "not a group (value \"every\")", "\"all\""},
    {"'any': 'all'", "'any': {}", ": shapes.bar.groups.any: ", "a key is missing", "exactly one of box"},
    {"{'nearest': [2, 0, 0]}", "{'nearest': [2, 0, 0], 'mesh': 'z-min'}", ": shapes.bar.groups.tip: ", "more than one",
     "exactly one of"},
    // bodies
    {"'shape': 'bar'", "'shape': 'barr'", ": bodies[0].shape: ", "unknown shape (value \"barr\")",
     "did you mean \"bar\"?"},
    {"'shape': 'bar', ", "", ": bodies[0]: ", "\"shape\" is missing", NULL},
    {"'name': 'two'", "'name': 'one'", ": bodies[1].name: ", "\"one\" is taken by bodies[0]", "of its own"},
    {"'name': 'two'", "'name': 'two', 'repeat': {'count': [2, 0, 1], 'step': [1, 1, 1]}",
     ": bodies[1].repeat.count: ", "no grid of copies", "at least 1"},
    {"'name': 'two'", "'name': 'two', 'repeat': {'count': [2, 1, 1]}", ": bodies[1].repeat: ", "\"step\" is missing",
     NULL},
    {"'name': 'two'", "'name': ''", ": bodies[1].name: ", "empty text", "one or more"},
    {"'method': 'full'", "'method': 'ful'", ": bodies[0].method: ", "unknown name", "did you mean \"full\"?"},
    {"'position': [0, 0, 1]", "'position': [0, 1e20, 1]", ": bodies[0].position: ", "too far away", "1e+09"},
    {"'density': 1000", "'density': 1e-20", ": materials.rubber.density: ", "value 1e-20", "1e-12"},
    {"'total': [0, 0, 5]", "'wind': [0, 0, 5]", ": bodies[0].forces[0].wind: ", "wind on a solid", "on sheets"},
    {"'scale': 1,", "'scale': 1, 'pressure': 5,", ": shapes.bar.pressure: ", "a solid has no pressure", "a sheet"},
    {"'position': [0, 0, 1]", "'position': [0, 0, null]", ": bodies[0].position[2]: ", "wrong type (value null)", NULL},
    {"'rotation': {'axis': [0, 1, 0], 'degrees': 10}", "'rotation': 48.9", ": bodies[0].rotation: ", "a bare angle",
     "{\"axis\": [0, 0, 1], \"degrees\": 48.9}"},
    {"'rotation': {'axis': [0, 1, 0], ", "'rotation': {'axis': [0, 1], ", ": bodies[0].rotation.axis: ", "not a vector",
     "3 numbers"},
    {"'velocity': [1, 0, 0]", "'velocity': {'x': 1}", ": bodies[0].velocity: ", "not a vector", "3 numbers"},
    {"'spin': [0, 0, 2]", "'spin': 2", ": bodies[0].spin: ", "not a vector (value 2)", "3 numbers"},
    {"{'name': 'two', 'shape': 'beam'}", "7", ": bodies[1]: ", "wrong type (value 7)", "an object"},
    // loads
    {"'pins': ['left'", "'pinned': ['left'", ": bodies[0].pinned: ", "unknown key", "did you mean \"pins\"?"},
    {"'pins': ['left'", "'pins': ['lift'", ": bodies[0].pins[0]: ", "unknown group (value \"lift\")",
     "did you mean \"left\"?"},
    {"'pins': ['left'", "'pins': ['qqqqqqq'", ": bodies[0].pins[0]: ", "left, ball, half, tip, floor, any, x-min",
     "z-max, all"},
    {"'pins': ['left'", "'pins': [3", ": bodies[0].pins[0]: ", "wrong type (value 3)", "a text"},
    {"'pins': ['left', {'group': 'floor', 'release': 2}]", "'pins': 'left'", ": bodies[0].pins: ", "wrong type",
     "an array"},
    {"{'group': 'floor', 'release': 2}", "{'group': 'floor', 'release': 0}",
     ": bodies[0].pins[1].release: ", "(value 0)", "greater than 0"},
    {"{'group': 'floor', 'release': 2}", "{'release': 2}", ": bodies[0].pins[1]: ", "\"group\" is missing", NULL},
    {"'group': 'tip'", "'group': 'tap'", ": bodies[0].scripts[0].group: ", "unknown group", "did you mean \"tip\"?"},
    {"'interpolation': 'smooth'", "'interpolation': 'cubic'", ": bodies[0].scripts[0].interpolation: ", "\"cubic\"",
     "linear, smooth"},
    {"{'time': 0}, ", "{'time': 1}, ", ": bodies[0].scripts[0].keys[1].time: ", "keys out of order (value 1)",
     "greater than 1"},
    {"{'time': 0}, ", "{'time': -1}, ", ": bodies[0].scripts[0].keys[0].time: ", "(value -1)", "at least 0"},
    {"{'time': 0}, ", "{}, ", ": bodies[0].scripts[0].keys[0]: ", "\"time\" is missing", NULL},
    {"'degrees': 170", "'degrees': 360",
     ": bodies[0].scripts[0].keys[1].rotation: ", "360 degrees since the key before", "more keys between"},
    {"'degrees': 170", "'degrees': -180", ": bodies[0].scripts[0].keys[1].rotation: ", "180 degrees", "less than 180"},
    {"{'time': 0}, ", "{'time': 0, 'rotation': {'axis': [0,0,-2], 'degrees': 20}}, ",
     ": bodies[0].scripts[0].keys[1].rotation: ", "190 degrees", "less than 180"},
    {"'keys': [{'time': 0}, {", "'keys': [], 'forces': [{", ": bodies[0].scripts[0].forces: ", "unknown key", NULL},
    {"'group': 'ball'", "'group': ''", ": bodies[0].forces[0].group: ", "empty text", NULL},
    {"'total': [0, 0, 5], ", "", ": bodies[0].forces[0]: ", "a key is missing",
     "exactly one of total, per_vertex, acceleration"},
    {"'total': [0, 0, 5]", "'total': [0, 0, 5], 'acceleration': [0, 0, 1]", ": bodies[0].forces[0]: ", "more than one",
     "exactly one of"},
    {"'to': 1,", "'to': 0.5,", ": bodies[0].forces[0].to: ", "never opens (value 0.5)",
     "greater than \"from\", which is 0.5"},
    {"'ramp': 0.1", "'ramp': -1", ": bodies[0].forces[0].ramp: ", "(value -1)", "at least 0"},
    {"'ramp'", "'rampe'", ": bodies[0].forces[0].rampe: ", "unknown key", "did you mean \"ramp\"?"},
    {"'ramp'", "'r\\u00e4mp \\n'", ": bodies[0].forces[0][\"r\\u00E4mp \\n\"]: ", "unknown key", NULL},
};

static const Slip plane_slips[] = {
    {"[0, -9.81]", "[0, -9.81, 1]", ": gravity: ", "leaves the plane", "2 numbers"},
    {"[0, -9.81]", "[-9.81]", ": gravity: ", "not a vector", "an array of 2 numbers"},
    {"{'degrees': 30}", "{'axis': [0, 0, 1], 'degrees': 30}", ": shapes.strip.rotate.axis: ", "unknown key", "degrees"},
    {"'height': 0.1,", "'height': 0.1, 'width': 0.1,", ": shapes.strip.mesh.beam.width: ", "unknown key", "length"},
    {"'thickness': 0.1", "'thickness': 0", ": shapes.strip.thickness: ", "(value 0)", "greater than 0"},
    {"'spin': 2", "'spin': [0, 0, 2]", ": bodies[0].spin: ", "wrong type (value [0,0,2])", "a number"},
    {"{'beam': {'length': 1, 'height': 0.1, 'size': 0.1}}", "{'file': 'hub.msh'}",
     ": shapes.strip.mesh.file: ", "a mesh of dimension 3", "allowed: 2"},
    {"{'rubber': {}}", "{}", ": shapes.strip.material: ", "unknown material", "did you mean \"natural-rubber\"?"},
    {"'bodies': [{'shape': 'strip', 'spin': 2, 'position': [0, 1]}]", "'bodies': []", ": bodies: ", "too few items",
     "1 or more"},
    {"'shapes': {'strip'", "'shapes': 3, 'title': {'strip'", ": title: ", "wrong type", NULL},
};

static const char held[] =
    "{'thaw': 1, 'materials': {'rubber': {}},\n"
    " 'shapes': {'bar': {'mesh': {'box': {'min': [0, 0, 0], 'max': [2, 1, 1], 'cells': [2, 1, 1]}},\n"
    "                    'material': 'rubber'}},\n"
    " 'bodies': [{'name': 'one', 'shape': 'bar'}, {'name': 'two', 'shape': 'bar', 'position': [2, 0, 0]}],\n"
    " 'obstacles': [{'name': 'floor', 'plane': {}}],\n"
    " 'attachments': [{'body': 'one', 'group': 'x-max', 'to': 'two', 'stiffness': 10, 'damping': 0.1, 'release': 1,\n"
    "                  'release_force': 5},\n"
    "                 {'body': 'two', 'group': 'z-min', 'keys': [{'time': 0}], 'centre': [0, 0, 0]}]}\n";

static const Slip held_slips[] = {
    {"'body': 'one', 'group'", "'group'", ": attachments[0]: ", "the key \"body\" is missing", NULL},
    {"'body': 'one', 'group'", "'body': 'onw', 'group'", ": attachments[0].body: ", "no body of that name",
     "did you mean \"one\"?"},
    {"'group': 'x-max'", "'group': 'x-top'", ": attachments[0].group: ", "x-top", "x-max"},
    {"'to': 'two'", "'to': 'flor'", ": attachments[0].to: ", "no body or obstacle of that name",
     "did you mean \"floor\"?"},
    {"'to': 'two'", "'to': 'one'", ": attachments[0].to: ", "a body held to itself (value \"one\")",
     "another body, or an obstacle"},
    {"'to': 'two'", "'to': 'two', 'keys': [{'time': 0}]", ": attachments[0].keys: ", "a frame beside \"to\"",
     "either of them"},
    {"'stiffness': 10", "'stiffness': 0", ": attachments[0].stiffness: ", "(value 0)", "greater than 0"},
    {"'stiffness': 10", "'stiffness': 'glue'", ": attachments[0].stiffness: ", "wrong type", "a number"},
    {"'stiffness': 10", "'stiffness': 10, 'stiffness_per_area': 5",
     ": attachments[0].stiffness_per_area: ", "two stiffnesses (value 5)", "\"stiffness\" or \"stiffness_per_area\""},
    {"'damping': 0.1", "'damping': -0.1", ": attachments[0].damping: ", "(value -0.1)", "at least 0"},
    {"'release': 1", "'release': 0", ": attachments[0].release: ", "(value 0)", "greater than 0"},
    {"'release_force': 5", "'release_force': -5", ": attachments[0].release_force: ", "(value -5)", "greater than 0"},
    {"'release_force': 5", "'relase_force': 5", ": attachments[0].relase_force: ", "unknown key",
     "did you mean \"release_force\"?"},
    {"'to': 'two'", "'to': 'two', 'kind': 'rope'", ": attachments[0].kind: ", "rope", "distance"},
    {"'to': 'two'", "'to': 'two', 'length': 1", ": attachments[0].length: ", "(value 1)", "\"kind\": \"distance\""},
    {"'to': 'two'", "'to': 'two', 'at': [0, 0, 0]", ": attachments[0].at: ", "an anchor", "\"kind\": \"distance\""},
    {"'to': 'two'", "'to': 'two', 'kind': 'distance', 'length': 'long'",
     ": attachments[0].length: ", "no length (value \"long\")", "\"start\""},
    {"'to': 'two'", "'to': 'two', 'kind': 'distance', 'length': -1", ": attachments[0].length: ", "(value -1)",
     "at least 0"},
    {"'to': 'two'", "'to': 'floor', 'kind': 'distance'", ": attachments[0]: ", "\"at\" is missing", "a point in space"},
    {"'to': 'two'", "'to': 'two', 'to_group': 'x-min'", ": attachments[0].to_group: ", "springs without a length",
     "\"kind\": \"distance\""},
    {"'to': 'two'", "'to': 'two', 'kind': 'distance', 'to_group': 'x-low'", ": attachments[0].to_group: ", "x-low",
     "x-min"},
    {"'to': 'two'", "'to': 'floor', 'kind': 'distance', 'to_group': 'x-min'",
     ": attachments[0].to_group: ", "a group of an obstacle", "groups of a body"},
    {"'to': 'two'", "'to': 'two', 'kind': 'distance', 'pairing': 'along'",
     ": attachments[0].pairing: ", "nothing that has groups", "\"to_group\""},
    {"'to': 'two'", "'to': 'two', 'close': 1", ": attachments[0].close: ", "springs without a length",
     "\"kind\": \"distance\""},
    {"'to': 'two'", "'to': 'two', 'kind': 'distance', 'close': 0", ": attachments[0].close: ", "(value 0)",
     "greater than 0"},
    {"'to': 'two'", "'to': 'two', 'contact': 1", ": attachments[0].contact: ", "wrong type (value 1)", "true or false"},
    {"[{'time': 0}]", "[]", ": attachments[1].keys: ", "too few items", "1 or more"},
    {"'centre': [0, 0, 0]", "'centre': [0, 0]", ": attachments[1].centre: ", "not a vector", "3 numbers"},
    {"'attachments': [", "'attachments': 3, 'title': [", ": title: ", "wrong type", NULL},
};

static const char NAME[] = "folder/bad.json", FOLDER[] = THAW_SOURCE_DIR "/tests/scene/small";

static void make_text(const char *scene, const Slip *slip, char *text, size_t room) {
    const char *at = slip ? strstr(scene, slip->right) : scene;
    if (!at)
        fail_msg("the good scene has no %s", slip->right);
    int before = (int)(at - scene);
    snprintf(text, room, "%.*s%s%s", before, scene, slip ? slip->wrong : "", slip ? at + strlen(slip->right) : scene);
    for (char *c = text; *c; c++)
        if (*c == '\'')
            *c = '"';
}

// Counts and prints the rows that go wrong, so that one run shows them all.
static int count_wrong(const char *scene, const Slip *slips, size_t count) {
    int wrong = 0;
    for (const Slip *slip = slips; slip < slips + count; slip++) {
        char text[8000];
        ThawScene *out = NULL;
        ThawError error = {0};
        make_text(scene, slip, text, sizeof text);
        ThawStatus status = thaw_scene_parse(text, strlen(text), NAME, FOLDER, &out, &error);
        bool begins = strncmp(error.message, NAME, strlen(NAME)) == 0 &&
                      strncmp(error.message + strlen(NAME), slip->place, strlen(slip->place)) == 0;
        bool right = status < 0 && !out && error.status == status && begins && strstr(error.message, slip->says) &&
                     (!slip->allowed || strstr(error.message, slip->allowed));
        thaw_scene_free(&out);
        right = right && thaw_scene_parse(text, strlen(text), NAME, FOLDER, &out, NULL) == status;
        if (!right)
            print_error("%s -> %s (status %d)\n  message: %s\n  wanted: %s ... %s ... %s\n", slip->right, slip->wrong,
                        (int)status, error.message, slip->place, slip->says, slip->allowed ? slip->allowed : "");
        wrong += !right;
    }
    return wrong;
}

static void every_slip_in_a_solid_scene_is_refused_at_its_place(void **state) {
    (void)state;
    assert_int_equal(count_wrong(solid, solid_slips, sizeof solid_slips / sizeof *solid_slips), 0);
}

static void every_slip_in_a_plane_scene_is_refused_at_its_place(void **state) {
    (void)state;
    assert_int_equal(count_wrong(plane, plane_slips, sizeof plane_slips / sizeof *plane_slips), 0);
}

static void every_slip_in_a_scene_with_attachments_is_refused_at_its_place(void **state) {
    (void)state;
    assert_int_equal(count_wrong(held, held_slips, sizeof held_slips / sizeof *held_slips), 0);
}

static void the_scenes_without_slips_are_taken(void **state) {
    (void)state;
    const char *const scenes[] = {solid, plane, held};
    for (int i = 0; i < 3; i++) {
        char text[8000];
        ThawScene *scene = NULL;
        ThawError error = {0};
        make_text(scenes[i], NULL, text, sizeof text);
        if (thaw_scene_parse(text, strlen(text), NAME, FOLDER, &scene, &error) != THAW_OK)
            fail_msg("%s", error.message);
        thaw_scene_free(&scene);
    }
}

static void documents_that_are_no_scene_are_refused(void **state) {
    (void)state;
    static const char *const texts[] = {"",  " ",          "null", "[]",         "5", "\"thaw\"",
                                        "{", "// nothing", "/*",   "\xFF\xFE{}", "{}"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        ThawScene *scene = NULL;
        ThawError error = {0};
        assert_int_equal(thaw_scene_parse(texts[i], strlen(texts[i]), NAME, NULL, &scene, &error), THAW_ERROR_INPUT);
        assert_null(scene);
        assert_ptr_equal(strstr(error.message, NAME), error.message);
    }
}

static void a_file_that_is_not_there_or_is_a_folder_is_named(void **state) {
    (void)state;
    ThawScene *scene = NULL;
    ThawError error = {0};
    assert_int_equal(thaw_scene_load("no/such/scene.json", &scene, &error), THAW_ERROR_INPUT);
    assert_non_null(strstr(error.message, "no/such/scene.json"));
    assert_true(thaw_scene_load(THAW_SOURCE_DIR, &scene, &error) < 0);
    assert_non_null(strstr(error.message, THAW_SOURCE_DIR));
    assert_null(scene);
}

static void endless_nesting_and_endless_names_are_refused_in_a_bounded_message(void **state) {
    (void)state;
    static char text[200000];
    ThawScene *scene = NULL;
    ThawError error = {0};
    memset(text, '[', sizeof text);
    assert_int_equal(thaw_scene_parse(text, sizeof text, NAME, NULL, &scene, &error), THAW_ERROR_INPUT);
    memset(text, 'a', sizeof text);
    memcpy(text, "{\"", 2);
    memcpy(text + sizeof text - 4, "\":1}", 4);
    assert_int_equal(thaw_scene_parse(text, sizeof text, NAME, NULL, &scene, &error), THAW_ERROR_INPUT);
    assert_non_null(strstr(error.message, "unknown key"));
    assert_non_null(strstr(error.message, "aaa"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_scenes_without_slips_are_taken),
        cmocka_unit_test(every_slip_in_a_solid_scene_is_refused_at_its_place),
        cmocka_unit_test(every_slip_in_a_plane_scene_is_refused_at_its_place),
        cmocka_unit_test(every_slip_in_a_scene_with_attachments_is_refused_at_its_place),
        cmocka_unit_test(documents_that_are_no_scene_are_refused),
        cmocka_unit_test(a_file_that_is_not_there_or_is_a_folder_is_named),
        cmocka_unit_test(endless_nesting_and_endless_names_are_refused_in_a_bounded_message),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
