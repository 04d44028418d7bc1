/**
 * The groups of `npm run mutants`. `MUTANTS` names one. Stryker changes the compiled files in place and restores them,
 * because `@quire/…` leads to this folder from any copy of it.
 */
const ruleFiles = ['compile-rule', 'operands', 'rename-rule']

const groups = {
  merge: {
    mutate: ['packages/merge/dist/src/*.js'],
    spec: ['dist/packages/merge/test/*.test.js'],
  },
  rules: {
    mutate: ruleFiles.map((name) => `dist/src/people/rules/${name}.js`),
    spec: ruleFiles.map((name) => `dist/test/people/rules/${name}.test.js`),
  },
  'commit-record': {
    mutate: ['dist/src/mongo/connection/commit-record.js'],
    spec: ['dist/test/mongo/connection/commit-record.test.js'],
  },
  sequencer: {
    mutate: ['dist/src/mongo/commits/sequencer.js'],
    spec: ['dist/test/mongo/commits/sequencer.test.js'],
  },
}

const name = process.env.MUTANTS ?? ''
if (!Object.hasOwn(groups, name)) {
  throw new Error(`MUTANTS=${name}: the groups are ${Object.keys(groups).join(', ')}`)
}
// Property tests have a fixed seed in CI.
process.env.CI ??= 'true'
const { mutate, spec } = groups[name]

module.exports = {
  mutate,
  ignorePatterns: ['**', ...mutate.map((path) => `!${path}`)],
  inPlace: true,
  tempDirName: `dist/mutants/${name}`,
  testRunner: 'mocha',
  mochaOptions: {
    'no-config': true,
    'no-package': true,
    require: ['dist/test/support/root-hooks.js'],
    spec,
  },
  coverageAnalysis: 'perTest',
  // Constants of ES modules are evaluated before Stryker selects a mutant.
  ignoreStatic: true,
  concurrency: 1,
  thresholds: { high: 90, low: 80, break: 80 },
  reporters: ['progress-append-only', 'clear-text', 'json'],
  clearTextReporter: { allowColor: false, logTests: false },
  jsonReporter: { fileName: `dist/mutants/${name}.json` },
}
