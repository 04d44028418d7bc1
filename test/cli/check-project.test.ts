import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { checkProject } from '../../src/cli/check-project.ts'
import { runCli } from '../../src/cli/run-cli.ts'
import { serve } from '../support/server.ts'
import { UNOPENED } from './unopened.ts'

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
  ['src/extensions/empty.js', '// nothing here\n'],
  ['src/middlewares/none.js', 'module.exports = {};'],
]

const CUSTOM: readonly (readonly [string, string])[] = [
  ['src/api/article/controllers/article.ts', CUSTOM_CONTROLLER],
  [
    'src/api/article/routes/article.js',
    `module.exports = createCoreRouter('api::article.article', { only: ['find'] });`,
  ],
  [
    'src/api/article/controllers/comment.js',
    `// createCoreController('api::a.a')
module.exports = { find: (ctx) => 'http://x' };`,
  ],
  ['src/index.js', `module.exports = { register() {}, bootstrap({ strapi }) { strapi.x() } };`],
  [
    'src/api/article/services/article.js',
    `startTimer(); module.exports = createCoreService('api::article.article');`,
  ],
]

/** A generated project: other files lie next to the declarations. */
const PROJECT = {
  'package.json': { name: 'site', dependencies: { '@strapi/plugin-cloud': '5.0.0', koa: '3.0.0' } },
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
    const { types, faults, warnings, leftBehind } = await checkProject(folder)
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
    expect(leftBehind.map((text) => text.split(/[ :]/)[0])).to.have.members([
      'controllers',
      'lifecycle',
      'routes',
      'register',
      'packages',
    ])
    expect(leftBehind.join()).to.include('@strapi/plugin-cloud').and.not.include('koa')
    expect(await run(folder)).to.have.property('status', 0)
  })

  for (const [name, text] of GENERATED) {
    it(`does not list generated code: ${name}`, async () => {
      write({ 'package.json': {}, [name]: text })
      expect((await checkProject(folder)).leftBehind).to.deep.equal([])
    })
  }

  for (const [name, text] of CUSTOM) {
    it(`lists custom code: ${name}`, async () => {
      write({ 'package.json': {}, [name]: text })
      expect((await checkProject(folder)).leftBehind.join()).to.include(name)
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
