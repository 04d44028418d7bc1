import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { checkProject } from '../../../src/cli/project/check-project.ts'
import { runCli } from '../../../src/cli/run-cli.ts'
import { serve } from '../../support/server.ts'
import { UNOPENED } from '../unopened.ts'

const SCHEMA = {
  kind: 'collectionType',
  collectionName: 'articles',
  info: { singularName: 'article', pluralName: 'articles', displayName: 'Article' },
  options: { draftAndPublish: true },
  attributes: {
    title: { type: 'string' },
    related: { type: 'relation', relation: 'morphToMany' },
    reviewer: { type: 'relation', relation: 'oneToOne', target: 'admin::user' },
    gone: {
      type: 'relation',
      relation: 'oneToMany',
      target: 'api::article.article',
      mappedBy: 'no',
    },
  },
}

const CUSTOM_CONTROLLER = `import { factories } from '@strapi/strapi'
export default factories.createCoreController('api::article.article', ({ strapi }) => ({
  async find(ctx) { return super.find(ctx) },
}))`

const DECLARED = 'src/api/article/content-types/article/schema.json'

/** Code as the reference generates it. */
const GENERATED: readonly (readonly [string, string])[] = [
  [
    'src/api/article/controllers/article.ts',
    `/**
 * article controller
 */

import { factories } from '@strapi/strapi'

export default factories.createCoreController('api::article.article');
`,
  ],
  [
    'src/api/article/services/article.js',
    `'use strict';

/**
 * article service
 */

const { createCoreService } = require('@strapi/strapi').factories;

module.exports = createCoreService('api::article.article');
`,
  ],
  [
    'src/api/article/routes/article.js',
    `const { createCoreRouter } = require("@strapi/strapi").factories;
module.exports = createCoreRouter("api::article.article");`,
  ],
  [
    'src/api/article/routes/second.ts',
    `import { factories } from '@strapi/strapi';
const { createCoreRouter } = factories;
export default createCoreRouter(
  'api::article.article',
);`,
  ],
  [
    'src/index.ts',
    `// import type { Core } from '@strapi/strapi';

export default {
  /**
   * An asynchronous register function that runs before
   * your application is initialized.
   */
  register(/* { strapi }: { strapi: Core.Strapi } */) {},

  /** Runs right before your application gets started. */
  bootstrap(/* { strapi }: { strapi: Core.Strapi } */) {},
};
`,
  ],
  [
    'src/api/article/controllers/third.ts',
    `import { factories } from "@strapi/strapi"

export default factories.createCoreController("api::article.article", ({ strapi }) => ({}))`,
  ],
  [
    'src/api/article/services/fourth.ts',
    `import { factories } from '@strapi/strapi';

export default factories.createCoreService('api::article.article', {});`,
  ],
  [
    'src/api/article/controllers/actions.js',
    `'use strict';

/**
 * A set of functions called "actions" for \`article\`
 */

module.exports = {
  // exampleAction: async (ctx, next) => {
  //   ctx.body = 'ok';
  // }
};
`,
  ],
  ['src/admin/vite.config.example.ts', `export default (config) => config`],
  ['src/admin/extensions/button/index.js', `export const Button = () => null`],
  ['config/server.js', `module.exports = ({ env }) => ({ host: env('HOST', '0.0.0.0') })`],
  ['config/plugins.ts', `export default () => ({})`],
  ['src/extensions/empty.js', '// nothing here\n'],
  ['src/middlewares/none.js', 'module.exports = {};'],
]

const CONTROLLER = '`routes` of an extension, or `computed` for additional attributes'
const START = '`start` and `stop` of an extension'

/** The file, its text, and the parts of Quire that replace it. */
const CUSTOM: readonly (readonly [string, string, ...(readonly string[])])[] = [
  ['src/api/article/controllers/article.ts', CUSTOM_CONTROLLER, CONTROLLER],
  [
    'src/api/article/routes/article.js',
    `module.exports = createCoreRouter('api::article.article', { only: ['find'] });`,
    'permissions of roles and tokens; `options.api.populate` for populate',
  ],
  [
    'src/api/article/routes/views.ts',
    `export default { routes: [{ method: 'POST', path: '/articles/:id/views', handler: 'article.view' }] }`,
    '`routes` of an extension',
  ],
  [
    'src/api/article/controllers/comment.js',
    `// createCoreController('api::a.a')
module.exports = { find: (ctx) => 'http://x' };`,
    CONTROLLER,
  ],
  [
    'src/index.js',
    `module.exports = { register() {}, bootstrap({ strapi }) { strapi.x() } };`,
    START,
  ],
  [
    'src/index.ts',
    `export default { register({ strapi }) { strapi.documents.use((context, next) => next()) } }`,
    '`beforeWrite` and `afterCommit` of an extension',
  ],
  [
    'src/index.mjs',
    `export default { bootstrap({ strapi }) {
  strapi.db.lifecycles.subscribe({ beforeCreate() {} })
  strapi.cron.add({ task: { task() {}, options: { rule: '0 0 * * *' } } })
} }`,
    '`beforeWrite` of an extension',
    '`jobs` of an extension',
  ],
  [
    'src/api/article/services/article.js',
    `startTimer(); module.exports = createCoreService('api::article.article');`,
    'functions of the project that extensions call; they use `content`',
  ],
  [
    'src/api/article/middlewares/article-populate.ts',
    `const populate = { cover: true }
export default () => async (ctx, next) => { ctx.query.populate = populate; await next() }`,
    '`options.api.populate` of the content-type',
  ],
  [
    'src/middlewares/timer.js',
    `module.exports = () => async (ctx, next) => { await next(); ctx.set('X-Time', '1') }`,
    '`routes` of an extension, or settings of the server',
  ],
  [
    'src/policies/is-owner.js',
    `module.exports = (context) => context.state.user !== undefined`,
    'permissions of roles and tokens; `permission` of a route; `beforeWrite`',
  ],
  [
    'src/api/article/content-types/article/lifecycles.js',
    `module.exports = { beforeUpdate(event) { event.params.data.x = 1 }, afterUpdate() { send() } }`,
    '`beforeWrite` of an extension',
    '`afterCommit` of an extension',
  ],
  [
    'src/extensions/users-permissions/strapi-server.js',
    `module.exports = (plugin) => { plugin.controllers.user.me = () => {}; return plugin }`,
    '`routes`, `beforeWrite` and `providers` of an extension',
  ],
  [
    'src/plugins/tweets/strapi-server.js',
    `module.exports = () => ({ register() {} })`,
    'an extension',
  ],
  [
    'src/admin/app.tsx',
    `export default { config: { locales: ['fr'] }, bootstrap(app) { app.x() } }`,
    '`studio` in quire.config.ts, for title, logo, colors and links',
  ],
  [
    'config/cron-tasks.ts',
    `export default { '0 0 * * *': ({ strapi }) => strapi.x() }`,
    '`jobs` of an extension',
  ],
  [
    'config/server.ts',
    `import tasks from './tasks'
export default ({ env }) => ({ port: env.int('PORT', 1337), cron: { enabled: true, tasks } })`,
    '`jobs` of an extension',
  ],
]

/** A generated project: other files lie next to the declarations. */
const PROJECT = {
  'package.json': {
    name: 'site',
    dependencies: {
      '@strapi/plugin-cloud': '5.0.0',
      '@strapi/provider-upload-aws-s3': '5.0.0',
      'strapi-plugin-seo': '1.0.0',
      koa: '3.0.0',
    },
  },
  'tsconfig.json': { compilerOptions: {} },
  'src/index.ts': 'export default { bootstrap({ strapi }) { strapi.log.info(1) } }',
  'src/admin/tsconfig.json': {},
  [DECLARED]: SCHEMA,
  'src/api/article/content-types/article/lifecycles.ts':
    'export default { afterCreate() { send() } }',
  'src/api/article/controllers/article.ts': CUSTOM_CONTROLLER,
  'src/api/article/routes/article.ts': "export default { routes: [{ method: 'GET', path: '/x' }] }",
  'src/components/shared/quote.json': { attributes: { text: { type: 'text' } } },
  'types/generated/contentTypes.d.ts': '',
}

describe('quire check-project', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'quire-project-'))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  const write = (files: Readonly<Record<string, string | object>>): void => {
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
      const text = typeof content === 'string' ? content : JSON.stringify(content)
      writeFileSync(path.join(folder, name), text)
    }
  }

  const run = async (...words: readonly string[]) => {
    const said: string[] = []
    const output = {
      out: (text: string) => said.push(text),
      error: (text: string) => said.push(text),
    }
    const status = await runCli(['check-project', ...words], UNOPENED, output)
    return { status, said: said.join('\n') }
  }

  it('lists served types, warnings and files that stay behind', async () => {
    write(PROJECT)
    const { types, faults, warnings, customCode } = await checkProject(folder)
    expect(types).to.deep.equal([
      {
        uid: 'api::article.article',
        kind: 'collectionType',
        attributes: 1,
        draftAndPublish: true,
        localized: false,
      },
    ])
    expect(faults).to.deep.equal([])
    expect(warnings.map((text) => /attributes\.(\w+)/.exec(text)?.[1])).to.deep.equal([
      'related',
      'reviewer',
      'gone',
    ])
    expect(customCode.map(({ what, replacedBy }) => [what, replacedBy])).to.have.deep.members([
      ['custom controllers', '`routes` of an extension, or `computed` for additional attributes'],
      ['lifecycle hooks after a write', '`afterCommit` of an extension'],
      ['custom routes', '`routes` of an extension'],
      ['register and bootstrap of src/index', '`start` and `stop` of an extension'],
      ['packages that extend Strapi', 'the setting `S3_BUCKET`'],
      ['packages that extend Strapi', 'an extension, if you need it'],
    ])
    expect(customCode.flatMap(({ files }) => files))
      .to.include('strapi-plugin-seo')
      .and.not.include.members(['@strapi/plugin-cloud'])
      .and.not.include.members(['koa'])
    expect((await run(folder)).said).to.include(
      'lifecycle hooks after a write (src/api/article/content-types/article/lifecycles.ts): `afterCommit` of an extension',
    )
    expect(await run(folder)).to.have.property('status', 0)
  })

  for (const [name, text] of GENERATED) {
    it(`does not list generated code: ${name}`, async () => {
      write({ 'package.json': {}, [name]: text })
      expect((await checkProject(folder)).customCode).to.deep.equal([])
    })
  }

  for (const [name, text, ...replacedBy] of CUSTOM) {
    it(`lists custom code: ${name}`, async () => {
      write({ 'package.json': {}, [name]: text })
      const { customCode } = await checkProject(folder)
      expect(customCode).to.have.length(replacedBy.length)
      for (const [index, { files, replacedBy: found }] of customCode.entries()) {
        expect([...files, found]).to.deep.equal([name, replacedBy[index]])
      }
    })
  }

  it('warns of a declared publishedAt, and starts', async () => {
    const publishedAt = { type: 'datetime' }
    const attributes = { title: { type: 'string' }, publishedAt }
    write({ 'package.json': {}, [DECLARED]: { ...SCHEMA, attributes } })
    const { faults, warnings, types } = await checkProject(folder)
    expect(faults).to.deep.equal([])
    expect(types[0]?.attributes).to.equal(1)
    expect(warnings.join()).to.include('attributes.publishedAt: the server sets this date')
  })

  it('checks a project that the server starts on unchanged', async () => {
    write(PROJECT)
    const server = await serve('project_root', { contentTypes: folder })
    try {
      const { body } = await server.get('/admin/content-types')
      const uids = body.data.map(({ uid }: { readonly uid: string }) => uid)
      expect(uids.filter((uid: string) => uid.startsWith('api::'))).to.deep.equal([
        'api::article.article',
      ])
      expect((await server.post('/api/articles', { title: 'One' })).status).to.equal(201)
    } finally {
      await server.close()
    }
  })

  it('accepts a project without content-types', async () => {
    write({ 'package.json': {}, 'tsconfig.json': {}, 'src/index.js': '' })
    const { types, faults, warnings } = await checkProject(folder)
    expect([types, faults]).to.deep.equal([[], []])
    expect(warnings).to.have.length(1)
  })

  it('lists every fault and exits with status 1', async () => {
    write({
      'package.json': { name: 'not a content-type' },
      'article.json': { attributes: { title: { type: 'sting' } } },
    })
    const { status, said } = await run(folder, '--json')
    expect(status).to.equal(1)
    const { faults } = JSON.parse(said)
    expect(faults.join())
      .to.include('package.json: attributes: missing')
      .and.include('article.json')
  })

  it('prints usage and exits with status 2 for invalid arguments', async () => {
    expect((await run()).status).to.equal(2)
    expect((await run('a', 'b')).status).to.equal(2)
    expect((await run(folder, '--nothing')).status).to.equal(2)
    expect((await run('--help')).said).to.include('without a database')
    expect((await run(path.join(folder, 'nothing'))).said).to.include('no such folder')
  })
})
