import { fileURLToPath } from 'node:url'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect } from 'chai'
import { ALL_GRANTS, type Grants } from '../../../src/people/access/principal.ts'
import {
  type ApiDescription,
  type ApiFacts,
  describeApi,
} from '../../../src/describe/openapi/describe-api.ts'
import type { Parameter } from '../../../src/describe/openapi/parameters.ts'
import { compileSchema } from '../../../src/schema/compile.ts'
import { BUILT_IN_TYPES } from '../../../src/schema/built-in-types.ts'
import type { ContentTypeDefinition } from '../../../src/schema/definition.ts'
import type { Schema } from '../../../src/schema/plan.ts'
import { loadSchema } from '../../../src/server/services/load-schema.ts'
import { component, contentType } from '../../fixtures/definitions.ts'
import { SCALAR_ATTRIBUTES } from '../../fixtures/plans.ts'

const SAMPLE = fileURLToPath(new URL('../../../../content-types', import.meta.url))

const LOCALES = {
  defaultCode: 'en',
  all: [{ code: 'en' }, { code: 'de' }],
  has: (code: string) => ['en', 'de'].includes(code),
}

function factsOf(schema: Schema): ApiFacts {
  const bounds = { locales: LOCALES, defaultLimit: 25, maxLimit: 100 }
  return {
    schema,
    ...bounds,
    serverUrl: 'https://content.example.org',
    refresh: true,
    registerFields: [],
  }
}

function describeAs(schema: Schema, ...actions: readonly string[]): ApiDescription {
  return describeApi(factsOf(schema), new Set(actions))
}

const PLAIN = { localized: false, draftAndPublish: false }
const CANARY = 'canaryword'

/** Public pages next to types that an anonymous caller must not see. */
function canarySchema(filterable?: readonly string[]): Schema {
  const page: ContentTypeDefinition = {
    ...contentType(
      'page',
      { localized: true, draftAndPublish: true },
      {
        ...SCALAR_ATTRIBUTES,
        [`${CANARY}Text`]: { type: 'string', private: true },
        [`${CANARY}Password`]: { type: 'password' },
        [`${CANARY}Secret`]: {
          type: 'relation',
          relation: 'manyToMany',
          target: `api::${CANARY}.${CANARY}`,
        },
        seo: { type: 'component', component: 'shared.seo' },
        zone: { type: 'dynamiczone', components: ['shared.seo', 'shared.link'] },
        cover: { type: 'media', multiple: true },
        parent: { type: 'relation', relation: 'manyToOne', target: 'api::page.page' },
      },
    ),
    search: { string: 2, seo: 1 },
    ...(filterable !== undefined && { filterable }),
  }
  const link = {
    type: 'relation',
    relation: 'oneToOne',
    target: `api::${CANARY}.${CANARY}`,
  } as const
  return compileSchema({
    contentTypes: [
      page,
      { ...contentType(CANARY, PLAIN, { name: { type: 'string' } }), search: { name: 1 } },
      ...BUILT_IN_TYPES,
    ],
    components: [
      component('shared.seo', {
        title: { type: 'string' },
        [`${CANARY}Note`]: { type: 'text', private: true },
      }),
      component('shared.link', { [`${CANARY}Link`]: link, url: { type: 'string' } }),
    ],
  })
}

function parametersOf(description: ApiDescription): readonly Parameter[] {
  return Object.values(description.paths).flatMap((methods) =>
    Object.values(methods).flatMap(({ parameters = [] }) => parameters),
  )
}

interface Body {
  readonly content?: Readonly<Record<string, { readonly example?: unknown }>>
}

/** One is a DELETE, the other a GET or a POST. The paths of GET come from the reference. */
const UNAMBIGUOUS = [
  '`/api/auth/sessions/{id}` and `/api/auth/{provider}/callback`. #/paths/~1api~1auth~1{provider}~1callback',
  '`/api/auth/{provider}/token` and `/api/auth/sessions/{id}`. #/paths/~1api~1auth~1sessions~1{id}',
  '`/api/auth/{provider}/token` and `/api/auth/identities/{id}`. #/paths/~1api~1auth~1identities~1{id}',
].map(
  (paths) =>
    `no-ambiguous-paths Paths should resolve unambiguously. Found two ambiguous paths: ${paths}`,
)

describe('the OpenAPI description', () => {
  let sample: Schema
  before(async () => {
    sample = await loadSchema(SAMPLE)
  })

  it('passes the recommended rules of a linter', async () => {
    const config = await createConfig({
      extends: ['recommended'],
      // The address is an example. Without a configured provider, every response is a 400.
      rules: { 'no-server-example.com': 'off', 'operation-2xx-response': 'off' },
    })
    for (const description of [
      ...[sample, canarySchema()].map((schema) => describeApi(factsOf(schema), ALL_GRANTS)),
      describeAs(sample, 'api::article.article.find'),
    ]) {
      const source = JSON.stringify(description)
      const problems = await lintFromString({ source, config })
      const told = problems.map(
        ({ ruleId, message, location }) => `${ruleId} ${message} ${location[0]?.pointer}`,
      )
      expect(told.filter((one) => !UNAMBIGUOUS.includes(one))).to.deep.equal([])
    }
  })

  it('uses only single values and repeated lists as parameters', () => {
    const parameters = parametersOf(describeApi(factsOf(sample), ALL_GRANTS))
    expect(parameters.length).to.be.above(1_000)
    const styles = new Set(parameters.map(({ style, explode }) => `${style} ${explode}`))
    expect([...styles].sort()).to.deep.equal(['form true', 'undefined undefined'])
    const types = new Set(parameters.map(({ schema }) => String(schema['type'])))
    expect([...types].sort()).to.deep.equal(['array', 'boolean', 'integer', 'number', 'string'])
  })

  it('names each operation and each parameter of an operation uniquely', () => {
    const { paths } = describeApi(factsOf(sample), ALL_GRANTS)
    const operations = Object.values(paths).flatMap((methods) => Object.values(methods))
    for (const { parameters = [], operationId } of operations) {
      const names = parameters.map(({ name, in: place }) => `${place} ${name}`)
      expect(new Set(names).size, operationId).to.equal(names.length)
    }
    const ids = operations.map(({ operationId }) => operationId)
    expect(new Set(ids).size).to.equal(ids.length)
  })

  it('has examples that match their schemas', () => {
    for (const schema of [sample, canarySchema()]) {
      const description = describeApi(factsOf(schema), ALL_GRANTS)
      const ajv = new Ajv2020({ strict: false, validateFormats: false }).addSchema(description, 'd')
      const operations = Object.entries(description.paths).flatMap(([address, methods]) =>
        Object.entries(methods).map(([method, operation]) => ({ address, method, operation })),
      )
      let examples = 0
      for (const { address, method, operation } of operations) {
        const { content }: Body = operation.requestBody ?? {}
        const example = content?.['application/json']?.example
        if (example === undefined) continue
        examples += 1
        const at = [address, method, 'requestBody', 'content', 'application/json', 'schema']
          .map((key) => encodeURIComponent(key.replaceAll('/', '~1')))
          .join('/')
        const validate = ajv.getSchema(`d#/paths/${at}`)
        const said = `${address} ${ajv.errorsText(validate?.errors)}`
        expect(validate?.(example), said).to.equal(true)
      }
      expect(examples).to.be.above(3)
    }
  })

  describe('for a role that may read one type', () => {
    const description = describeAs(canarySchema(), 'api::page.page.find', 'api::page.page.findOne')

    it('omits other types and private attributes', () => {
      expect(JSON.stringify(description).toLowerCase()).to.not.include(CANARY)
      expect(Object.keys(description.paths)).to.deep.equal([
        '/api/pages',
        '/api/pages/{documentId}',
        '/api/_search',
      ])
    })

    it('omits drafts without their own permission', () => {
      const statuses = parametersOf(description).filter(({ name }) => name === 'status')
      expect(statuses).to.deep.equal([])
      const drafts = describeAs(canarySchema(), 'api::page.page.find', 'api::page.page.readDrafts')
      expect(parametersOf(drafts).map(({ name }) => name)).to.include('status')
    })
  })

  it('has no operations and no components for a role without permissions', () => {
    const description = describeAs(canarySchema())
    expect(description.paths).to.deep.equal({})
    expect(description.components).to.deep.include({ responses: {}, schemas: {} })
  })

  it('describes writable private attributes for a role that may write', () => {
    const grants: Grants = new Set(['api::page.page.create'])
    const { schemas } = describeApi(factsOf(canarySchema()), grants).components
    const { properties } = schemas['Page_Input'] as { readonly properties: object }
    expect(Object.keys(properties)).to.include(`${CANARY}Text`)
    expect(Object.keys(properties), 'what may not be found cannot be named').to.not.include(
      `${CANARY}Secret`,
    )
    const { properties: shown } = schemas['Page'] as { readonly properties: object }
    expect(Object.keys(shown)).to.not.include(`${CANARY}Text`)
  })

  it('offers only filters of options.api.filterable', () => {
    const trimmed = canarySchema(['uid', 'parent.string'])
    const names = parametersOf(describeAs(trimmed, 'api::page.page.find'))
      .map(({ name }) => name)
      .filter((name) => name.startsWith('filters'))
    expect(new Set(names.map((name) => name.replace(/\[\$\w+\]$/, '')))).to.deep.equal(
      new Set(['filters[uid]', 'filters[parent][string]']),
    )
  })

  it('offers only the operators of each attribute type', () => {
    const names = parametersOf(describeAs(canarySchema(), 'api::page.page.find')).map(
      ({ name }) => name,
    )
    expect(names).to.include.members(['filters[string][$contains]', 'filters[integer][$between]'])
    expect(names).to.include('filters[parent][string][$containsi]')
    expect(names).to.not.include('filters[integer][$contains]')
    expect(names).to.not.include('filters[json][$lt]')
    expect(names).to.not.include('filters[password][$eq]')
  })

  it('gives types with colliding names different names', () => {
    const schema = compileSchema({
      contentTypes: ['my-type', 'myType', 'error', 'block'].map((name) =>
        contentType(name, PLAIN, {}),
      ),
      components: [],
    })
    const finds = [...schema.contentTypes.keys()].map((uid) => `${uid}.find`)
    const { schemas } = describeApi(
      { ...factsOf(schema), schema: withBuiltIn(schema) },
      new Set(finds),
    ).components
    expect(Object.keys(schemas)).to.include.members([
      'MyType',
      'MyType2',
      'Error2',
      'Block2',
      'Error',
    ])
  })
})

/** Adds the built-in types, which descriptions always need. */
function withBuiltIn(schema: Schema): Schema {
  const builtIn = compileSchema({ contentTypes: BUILT_IN_TYPES, components: [] })
  return { ...schema, contentTypes: new Map([...schema.contentTypes, ...builtIn.contentTypes]) }
}
