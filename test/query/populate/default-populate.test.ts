import { expect } from 'chai'
import * as fc from 'fast-check'
import qs from 'qs'
import { SchemaError } from '../../../src/schema/schema-error.ts'
import { compileQueries, USUAL_BOUNDS } from '../../../src/query/named/compile-queries.ts'
import {
  parseDefaultPopulate,
  withDefaultPopulate,
} from '../../../src/query/populate/default-populate.ts'
import { parsePopulate } from '../../../src/query/populate/parse-populate.ts'
import type { ContentTypePlan, Schema } from '../../../src/schema/plan.ts'
import { compile, componentFile, typeFile } from '../../schema/define.ts'

const relation = (kind: string, target: string, more: object = {}): object => ({
  type: 'relation',
  relation: kind,
  target: `api::${target}.${target}`,
  ...more,
})

function compileWith(populate: unknown): Schema {
  return compile(
    typeFile(
      'post',
      {
        title: { type: 'string' },
        secret: relation('oneToOne', 'tag', { private: true }),
        tags: relation('manyToMany', 'tag'),
        cover: { type: 'media' },
        parts: { type: 'dynamiczone', components: ['shared.quote'] },
      },
      populate === undefined ? {} : { options: { api: { populate } } },
    ),
    typeFile('tag', { name: { type: 'string' }, owner: relation('manyToOne', 'owner') }),
    typeFile('owner', { name: { type: 'string' } }),
    componentFile('shared.quote', { text: { type: 'string' } }),
  )
}

function planIn(schema: Schema): ContentTypePlan {
  const plan = schema.contentTypes.get('api::post.post')
  if (plan === undefined) throw new Error('there is no post')
  return plan
}

function faultsOf(populate: unknown): readonly string[] {
  try {
    compileQueries(compileWith(populate))
    return []
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error
    return error.faults.map((fault) => fault.replace(/^.*?\.json: /, ''))
  }
}

describe('the default populate of a content-type', () => {
  const faulty: readonly (readonly [unknown, readonly RegExp[]])[] = [
    [7, [/^options\.api\.populate: must be a text, a list of texts or an object$/]],
    [[7], [/^options\.api\.populate\.0: must be a string$/]],
    ['tag', [/^options\.api\.populate: .*tag; did you mean tags\?/]],
    [['tags.nme'], [/^options\.api\.populate: .*nme/]],
    [
      { tag: true, cover: { feilds: ['url'] }, parts: { on: { 'shared.qote': true } } },
      [
        /^options\.api\.populate\.tag: .*did you mean tags/,
        /^options\.api\.populate\.cover: .*feilds/,
        /^options\.api\.populate\.parts: .*shared\.qote/,
      ],
    ],
    [{ secret: true }, [/^options\.api\.populate\.secret: /]],
    [{ tags: { fields: ['title'] } }, [/^options\.api\.populate\.tags: .*title/]],
    [{ tags: { pagination: { limit: -2 } } }, [/^options\.api\.populate\.tags: /]],
    [{ tags: { count: true } }, [/^options\.api\.populate\.tags: .*entries, and no count/]],
    [{ tags: 'ids' }, [/^options\.api\.populate\.tags: .*entries, and no ids/]],
    [{ tags: null }, [/^options\.api\.populate\.tags: /]],
    [{ tags: { locale: 'fr' } }, [/^options\.api\.populate\.tags: .*locale/]],
    [
      { tags: { filters: { owner: { name: 'Ann' } } } },
      [/^options\.api\.populate\.tags: filters of a default populate cannot lead through/],
    ],
    [
      { tags: { sort: 'owner.name' } },
      [/^options\.api\.populate\.tags: sort of a default populate cannot lead through/],
    ],
  ]
  for (const [populate, expected] of faulty) {
    it(`stops the start for ${JSON.stringify(populate)}`, () => {
      const faults = faultsOf(populate)
      expect(faults, faults.join('\n')).to.have.length(expected.length)
      for (const [index, pattern] of expected.entries()) expect(faults[index]).to.match(pattern)
    })
  }

  it('stops the start for a misspelled option', () => {
    const read = () =>
      compile(
        typeFile('post', { title: { type: 'string' } }, { options: { api: { populat: '*' } } }),
      )
    expect(read).to.throw(
      SchemaError,
      'options.api.populat: no such option; did you mean populate?',
    )
  })

  it('applies only if the query contains no populate', () => {
    const plan = planIn(compileWith({ tags: { pagination: { limit: 5 }, count: true } }))
    const asked = { tags: { pagination: { limit: '5' }, count: 'true' } }
    expect(withDefaultPopulate({ sort: 'title' }, plan)).to.deep.equal({
      sort: 'title',
      populate: asked,
    })
    for (const populate of ['', 'cover', '*', [], { cover: 'true' }]) {
      expect(withDefaultPopulate({ populate }, plan)).to.deep.equal({ populate })
    }
    expect(withDefaultPopulate({}, planIn(compileWith(undefined)))).to.deep.equal({})
  })

  it('omits relations that the caller may not read', () => {
    const schema = compileWith('*')
    const nodes = parseDefaultPopulate(planIn(schema), {
      schema,
      mayRead: () => false,
      ...USUAL_BOUNDS,
    })
    expect(nodes.map(({ kind }) => kind)).to.deep.equal(['media', 'zone'])
  })

  const options = fc.record(
    {
      fields: fc.constantFrom('name', ['name', 'createdAt'], '*'),
      sort: fc.constantFrom('name:desc', ['name', 'id']),
      filters: fc.record({ name: fc.record({ $in: fc.array(fc.nat(), { minLength: 1 }) }) }),
      pagination: fc.record({ start: fc.nat(50), limit: fc.integer({ min: 1, max: 50 }) }),
      count: fc.boolean(),
      populate: fc.constantFrom('*', ['owner'], { owner: true }, { owner: { fields: ['name'] } }),
    },
    { requiredKeys: [] },
  )
  const declared = fc.oneof(
    fc.constantFrom('*', 'tags', 'tags.owner,cover', ['tags.owner', 'parts']),
    fc.record(
      {
        tags: fc.oneof(fc.boolean(), fc.constant('ids'), options),
        cover: fc.oneof(fc.boolean(), fc.constant({ fields: ['url'] })),
        parts: fc.constantFrom(true, { on: { 'shared.quote': { fields: ['text'] } } }),
      },
      { requiredKeys: [] },
    ),
  )

  it('selects the same as the parameter in a query string', () => {
    fc.assert(
      fc.property(declared, (populate) => {
        const schema = compileWith(populate)
        const rules = { schema, mayRead: () => true, ...USUAL_BOUNDS }
        const sent = qs.parse(qs.stringify({ populate }), { arrayLimit: 200, depth: 20 })
        const plan = planIn(schema)
        expect(parseDefaultPopulate(plan, rules)).to.deep.equal(
          parsePopulate(sent['populate'], plan, {
            ...USUAL_BOUNDS,
            mayRead: () => true,
            components: schema.components,
            fileHolder: schema.contentTypes.get('plugin::upload.file') ?? null,
          }),
        )
      }),
    )
  })
})
