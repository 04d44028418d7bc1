/**
 * The profiles of mocha. `MOCHA_PROFILE` names one; without it, mocha runs the files that its command line names.
 *
 *     MOCHA_PROFILE=check npx mocha
 */
const ROOT_HOOKS = 'dist/test/support/root-hooks.js'

/** Paths of test files. Mocha does not expand braces in a path without `*`. */
const tests = (folder, ...names) => names.map((name) => `${folder}/${name}.test.js`)

const base = {
  'node-option': ['enable-source-maps'],
  'forbid-only': true,
  'check-leaks': true,
  // Zod and tslib, which are loaded when a test needs them.
  global: ['awslambda', '__*'],
  timeout: 180_000,
}

const profiles = {
  default: { ...base, require: [ROOT_HOOKS], exit: true },

  /** The quick tests of the repository itself, part of `npm run check`. */
  check: {
    reporter: 'dot',
    timeout: base.timeout,
    spec: [
      ...tests('dist/test/project', 'architecture', 'decisions', 'plain-english'),
      'dist/test/clients/written-types.test.js',
    ],
  },

  /** Tests without a database: `npm run test:pure`. */
  pure: {
    ...base,
    spec: [
      'dist/test/base/**/*.test.js',
      ...tests(
        'dist/test/project',
        'architecture',
        'decisions',
        'differences-page',
        'docs-index',
        'mocha-profiles',
        'plain-english',
        'page-commands',
        'page-scripts',
        'start-imports',
        'testing-page',
      ),
      'dist/test/{schema,query}/**/*.test.js',
      'dist/test/changes/answers/**/*.test.js',
      'dist/test/changes/sync/query/*.test.js',
      'dist/test/mongo/commits/change-clock.test.js',
      ...tests('dist/test/people/access', 'actions', 'credentials', 'input', 'permissions'),
      'dist/test/content/locales/locale-code.test.js',
      ...tests(
        'dist/test/mongo',
        'connection/database-error',
        'read/build-find',
        'read/select-elements',
        'read/translate-filter',
      ),
      ...tests(
        'dist/test/content/payload',
        'component-values',
        'read-relation-change',
        'relation-change',
        'relation-input',
      ),
    ],
  },

  /** The suite without the folders that start their own engine or use no database, for a run on `MONGODB_URI`. */
  database: {
    ...base,
    require: [ROOT_HOOKS],
    exit: true,
    parallel: true,
    jobs: 2,
    ignore: [
      '**/*.hard.test.js',
      'dist/test/{base,media/images,project,query,schema,server/deployment}/**',
      'dist/test/cli/dev/quire-dev.test.js',
    ],
    spec: ['dist/test/**/*.test.js', 'dist/tools/bench/test/sample/*.test.js'],
  },

  /** Crashes, faults, overload, fuzzing and long models: `npm run test:hard`. */
  hard: {
    ...base,
    require: ['dist/test/support/hard-suite.js', ROOT_HOOKS],
    timeout: 600_000,
    spec: [
      'dist/**/*.hard.test.js',
      'packages/engine/dist/test/**/*.hard.test.js',
      'dist/test/api/people/access-matrix.test.js',
      ...tests('dist/test/clients/store', 'store-model', 'sync-double'),
      ...tests('dist/test/content', 'fallback-locale', 'relations-model', 'versions-model'),
      ...tests(
        'dist/test/content',
        'history/history-model',
        'payload/shared-values',
        'trash/trash-model',
      ),
      'dist/test/changes/sync/sync-model.test.js',
      ...tests('dist/test/faults', 'file-sweep', 'interleavings'),
      'dist/test/media/file-interleavings.test.js',
      ...tests('dist/test/mongo', 'commits/log-model', 'read/deep-filters'),
    ],
  },

  /** A real database that is killed under load, started by `.ci/run faults`. */
  faults: {
    ...base,
    require: [ROOT_HOOKS],
    spec: ['dist/test/faults/database-killed.hard.test.js'],
  },

  /** The Studio in Chromium: `npm run test:studio`. */
  studio: {
    ...base,
    'check-leaks': false,
    timeout: 60_000,
    exit: true,
    spec: ['packages/studio/dist/test/**/*.test.js'],
  },
}

const name = process.env.MOCHA_PROFILE ?? 'default'
if (!Object.hasOwn(profiles, name)) {
  throw new Error(`MOCHA_PROFILE=${name}: the profiles are ${Object.keys(profiles).join(', ')}`)
}

module.exports = profiles[name]
