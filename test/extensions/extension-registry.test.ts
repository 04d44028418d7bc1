import { expect } from 'chai'
import { ExtensionError } from '../../src/base/errors.ts'
import { defineExtension, type Extension } from '../../src/extensions/extension.ts'
import { NO_EXTENSIONS, registerExtensions } from '../../src/extensions/extension-registry.ts'
import { checkDefinitions } from '../../src/schema/check/check.ts'
import { BUILT_IN_TYPES } from '../../src/schema/built-in-types.ts'
import { declare } from '../support/server.ts'

const ARTICLE = 'api::article.article'

const DEFINITIONS = checkDefinitions(
  [
    {
      file: 'article.json',
      kind: 'contentType',
      uid: ARTICLE,
      content: declare('article', {
        title: { type: 'string' },
        secret: { type: 'password' },
        tags: { type: 'relation', relation: 'oneToMany', target: ARTICLE },
      }),
    },
  ],
  BUILT_IN_TYPES,
)

const readingTime = {
  type: 'integer',
  version: 1,
  from: ['title'],
  value: () => 1,
} as const

function faultsOf(...extensions: readonly unknown[]): readonly string[] {
  try {
    registerExtensions(extensions as readonly Extension[], DEFINITIONS)
    return []
  } catch (error) {
    if (error instanceof ExtensionError) return error.faults
    throw error
  }
}

describe('extension registry', () => {
  it('is the shared empty registry without extensions', () => {
    expect(registerExtensions([], DEFINITIONS)).to.equal(NO_EXTENSIONS)
  })

  it('finds hooks and computed attributes by content-type, in the order of the configuration', () => {
    const first = defineExtension({
      name: 'first',
      contentTypes: { [ARTICLE]: { beforeWrite: () => undefined, computed: { readingTime } } },
    })
    const second = defineExtension({
      name: 'second',
      contentTypes: { [ARTICLE]: { beforeWrite: () => undefined, afterCommit: () => undefined } },
      jobs: [{ name: 'digest', cron: '0 6 * * *', run: () => undefined }],
    })
    const { beforeWrite, computed, afterCommit, jobs } = registerExtensions(
      [first, second],
      DEFINITIONS,
    )
    expect(beforeWrite.get(ARTICLE)?.map(({ extension }) => extension)).to.deep.equal([
      'first',
      'second',
    ])
    expect([...(computed.get(ARTICLE)?.keys() ?? [])]).to.deep.equal(['readingTime'])
    expect(afterCommit.get(ARTICLE)?.map(({ extension }) => extension)).to.deep.equal(['second'])
    expect(jobs.map(({ job }) => job.name)).to.deep.equal(['digest'])
    expect(beforeWrite.get('api::other.other')).to.equal(undefined)
  })

  it('reports all faults of all extensions with their names and paths', () => {
    const faults = faultsOf(
      { name: 'Bad Name', beforeWrite: () => undefined },
      {
        name: 'types',
        contentTypes: {
          'api::artikel.artikel': {},
          'plugin::upload.file': { beforeWrite: () => undefined },
          [ARTICLE]: { beforewrite: () => undefined, beforeWrite: 1, afterCommit: 'x' },
        },
      },
      {
        name: 'rest',
        routes: {},
        jobs: [{ name: 'a', cron: 1 }, { name: 'a' }],
        providers: { mail: 1 },
      },
      null,
    )
    expect(faults).to.deep.equal([
      'extension "Bad Name": name: must be a name of at most 60 lower-case letters, digits and hyphens',
      'extension "Bad Name": beforeWrite: unknown; known are name, contentTypes, providers, jobs, routes, start, stop',
      'extension "types": contentTypes["api::artikel.artikel"]: no content-type has this uid; did you mean api::article.article?',
      'extension "types": contentTypes["plugin::upload.file"].beforeWrite: only content-types of the project (api::…) may have it',
      `extension "types": contentTypes["${ARTICLE}"].beforewrite: unknown; did you mean beforeWrite?`,
      `extension "types": contentTypes["${ARTICLE}"].beforeWrite: must be a function`,
      `extension "types": contentTypes["${ARTICLE}"].afterCommit: must be a function`,
      'extension "rest": routes: must be a function',
      'extension "rest": providers.mail: unknown; known are storage, mailer, search, translate',
      'extension "rest": jobs[0].cron: must be a text',
      'extension "rest": jobs[0].run: must be a function',
      'extension "rest": jobs[1].name: an earlier job has this name',
      'extension "rest": jobs[1].cron: must be a text',
      'extension "rest": jobs[1].run: must be a function',
      'extensions[3]: extension: must be an object, as defineExtension returns it',
    ])
  })

  it('reports faults of computed attributes', () => {
    const computed = {
      title: readingTime,
      documentId: readingTime,
      wrong: { type: 'blocks', version: 0, from: [], valu: 1 },
      hidden: { ...readingTime, from: ['secret', 'tags', 'titel'] },
    }
    const at = (path: string): string =>
      `extension "one": contentTypes["${ARTICLE}"].computed.${path}`
    expect(faultsOf({ name: 'one', contentTypes: { [ARTICLE]: { computed } } })).to.deep.equal([
      at('title: article declares an attribute of this name'),
      at('documentId: the name is reserved; give the attribute another one'),
      at('wrong.valu: unknown; did you mean value?'),
      at(
        'wrong.type: must be one of string, text, richtext, integer, float, boolean, date, time, datetime, json',
      ),
      at('wrong.version: must be a whole number of at least 1'),
      at('wrong.value: must be a function'),
      at('wrong.from: must be a list of one or more attributes'),
      at('hidden.from[0]: passwords cannot be a source'),
      at('hidden.from[1]: relations and media cannot be a source'),
      at('hidden.from[2]: article has no attribute titel; did you mean title?'),
    ])
  })

  it('refuses a name, a provider or a computed attribute of another extension', () => {
    const one = {
      name: 'one',
      providers: { mailer: () => undefined },
      contentTypes: { [ARTICLE]: { computed: { readingTime } } },
    }
    expect(faultsOf(one, { ...one, name: 'two' }, { name: 'two' })).to.deep.equal([
      'extension "two": providers.mailer: extension "one" has it already',
      `extension "two": contentTypes["${ARTICLE}"].computed.readingTime: extension "one" has it already`,
      'extension "two": name two: extension "two" has it already',
    ])
  })
})
