import { expect } from 'chai'
import type { AttributePlan, ContentTypePlan, Schema } from '../../src/schema/plan.ts'
import { compile, componentFile, typeFile } from './define.ts'

const I18N = { pluginOptions: { i18n: { localized: true } } }
const NOT_LOCALIZED = { pluginOptions: { i18n: { localized: false } } }

const SCHEMA = compile(
  typeFile(
    'article',
    {
      title: { type: 'string', required: true, unique: true, default: 'x', ...I18N },
      views: { type: 'integer', ...NOT_LOCALIZED },
      since: { type: 'date', default: '2024-02-29' },
      plain: { type: 'string' },
      slug: { type: 'uid', targetField: 'title' },
      pass: { type: 'password' },
      secret: { type: 'string', private: true },
      cover: { type: 'media', allowedTypes: ['images'] },
      author: {
        type: 'relation',
        relation: 'manyToOne',
        target: 'api::author.author',
        inversedBy: 'articles',
      },
      related: { type: 'relation', relation: 'oneToMany', target: 'api::article.article' },
      seo: { type: 'component', component: 'shared.seo', max: 3 },
      sections: { type: 'dynamiczone', components: ['shared.seo', 'shared.link'], min: 1 },
    },
    { options: { draftAndPublish: true }, ...I18N },
  ),
  typeFile('author', {
    articles: {
      type: 'relation',
      relation: 'oneToMany',
      target: 'api::article.article',
      mappedBy: 'author',
    },
    name: { type: 'string', ...I18N },
  }),
  componentFile('shared.seo', { title: { type: 'string' } }),
  componentFile('shared.link', { self: { type: 'component', component: 'shared.link' } }),
)

function typeIn(schema: Schema, uid: string): ContentTypePlan {
  const plan = schema.contentTypes.get(uid)
  if (plan === undefined) throw new Error(`There is no ${uid}`)
  return plan
}

const ARTICLE = typeIn(SCHEMA, 'api::article.article')
const AUTHOR = typeIn(SCHEMA, 'api::author.author')

function attribute<Kind extends AttributePlan['kind']>(
  name: string,
  kind: Kind,
  plan = ARTICLE,
): Extract<AttributePlan, { kind: Kind }> {
  const found = plan.members.get(name)
  if (found?.kind !== kind) throw new Error(`There is no ${kind} ${name}`)
  return found as Extract<AttributePlan, { kind: Kind }>
}

describe('compileSchema', () => {
  it('lists the members of an entry in output order', () => {
    const declared = 'title views since plain slug pass secret cover author related seo sections'
    expect([...ARTICLE.members.keys()].join(' ')).to.equal(
      `id documentId ${declared} createdAt updatedAt publishedAt locale`,
    )
    expect([...AUTHOR.members.keys()].join(' ')).to.equal(
      'id documentId articles name createdAt updatedAt publishedAt',
    )
    expect([...ARTICLE.attributes.keys()].join(' ')).to.equal(declared)
  })

  it('gives a component only an id of its own', () => {
    expect([...(SCHEMA.components.get('shared.seo')?.members.keys() ?? [])]).to.deep.equal([
      'id',
      'title',
    ])
  })

  it('knows the system attributes', () => {
    const types = ['id', 'documentId', 'createdAt', 'updatedAt', 'publishedAt', 'locale'].map(
      (name) => attribute(name, 'scalar'),
    )
    expect(types.map(({ type }) => type).join(' ')).to.equal(
      'integer string datetime datetime datetime string',
    )
    expect(types.every(({ system }) => system)).to.equal(true)
    expect(attribute('title', 'scalar').system).to.equal(false)
  })

  it('copies the options of an attribute', () => {
    expect(attribute('title', 'scalar')).to.include({
      required: true,
      unique: true,
      default: 'x',
      private: false,
    })
    expect(attribute('plain', 'scalar')).to.include({ required: false, unique: false })
    expect(attribute('plain', 'scalar').default).to.equal(undefined)
    expect(attribute('cover', 'media')).to.deep.include({
      multiple: false,
      allowedTypes: ['images'],
    })
    expect(attribute('seo', 'component')).to.include({ repeatable: false, min: null, max: 3 })
  })

  it('converts defaults to stored form', () => {
    expect(attribute('since', 'scalar').default).to.deep.equal(new Date('2024-02-29'))
  })

  it('makes passwords private', () => {
    expect(attribute('pass', 'scalar').private).to.equal(true)
    expect(attribute('secret', 'scalar').private).to.equal(true)
  })

  const localized: readonly [string, boolean][] = [
    ['title', true],
    ['views', false],
    ['plain', false],
    ['slug', true],
    ['author', true],
    ['cover', false],
    ['createdAt', true],
  ]
  for (const [name, expected] of localized) {
    it(`gives ${name} ${expected ? 'a value per locale' : 'one value for all locales'}`, () => {
      expect(ARTICLE.members.get(name)?.localized).to.equal(expected)
    })
  }

  it('localizes no attribute of a type without locales', () => {
    expect(AUTHOR.localized).to.equal(false)
    expect(attribute('name', 'scalar', AUTHOR).localized).to.equal(false)
  })

  it('links both sides of a relation', () => {
    const owner = attribute('author', 'relation')
    expect(owner).to.include({ side: 'owner', otherSide: 'articles', toMany: false })
    expect(owner.target()).to.equal(AUTHOR)
    const inverse = attribute('articles', 'relation', AUTHOR)
    expect(inverse).to.include({ side: 'inverse', otherSide: 'author', toMany: true })
    expect(inverse.target()).to.equal(ARTICLE)
    const oneWay = attribute('related', 'relation')
    expect(oneWay).to.include({ side: 'owner', otherSide: null, toMany: true })
    expect(oneWay.target()).to.equal(ARTICLE)
  })

  it('links components and zones', () => {
    expect(attribute('seo', 'component').component()).to.equal(SCHEMA.components.get('shared.seo'))
    const zone = attribute('sections', 'dynamiczone')
    expect([...zone.components().keys()]).to.deep.equal(['shared.seo', 'shared.link'])
    expect(zone).to.include({ min: 1, max: null })
    const link = SCHEMA.components.get('shared.link')
    const self = link?.attributes.get('self')
    expect(self?.kind === 'component' && self.component()).to.equal(link)
  })

  it('compiles built-in types', () => {
    const user = typeIn(SCHEMA, 'plugin::users-permissions.user')
    expect(attribute('role', 'relation', user).target().uid).to.equal(
      'plugin::users-permissions.role',
    )
    expect(attribute('resetPasswordToken', 'scalar', user).private).to.equal(true)
    expect(SCHEMA.contentTypes.has('plugin::upload.file')).to.equal(true)
  })

  it('freezes its plans', () => {
    expect(Object.isFrozen(ARTICLE)).to.equal(true)
    expect(Object.isFrozen(attribute('title', 'scalar'))).to.equal(true)
  })

  it('makes a uid unique unless declared otherwise, and never a location', () => {
    const schema = compile(
      typeFile('page', {
        slug: { type: 'uid' },
        path: { type: 'uid', unique: false },
        at: { type: 'location', unique: true },
        title: { type: 'string' },
      }),
    )
    const page = typeIn(schema, 'api::page.page')
    const unique = (name: string): boolean => attribute(name, 'scalar', page).unique
    expect([unique('slug'), unique('path'), unique('title')]).to.deep.equal([true, false, false])
    expect(unique('at')).to.equal(false)
  })
})
