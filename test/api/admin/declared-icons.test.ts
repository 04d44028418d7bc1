import { expect } from 'chai'
import { declare, type Json, serve, type TestServer } from '../../support/server.ts'

const withInfo = (declaration: object, info: object): object => ({ ...declaration, info })
const ATTRIBUTES = { title: { type: 'string' } }
const CONTENT_TYPES = {
  article: withInfo(declare('article', ATTRIBUTES), { icon: 'feather' }),
  note: declare('note', ATTRIBUTES),
  tag: withInfo(declare('tag', ATTRIBUTES), { icon: { name: 'tag' }, description: 7 }),
  'components/shared/seo': {
    info: { displayName: 'SEO', icon: 'search', description: 'Words for search engines' },
    attributes: ATTRIBUTES,
  },
  'components/shared/link': { attributes: ATTRIBUTES },
}

describe('icons of declarations', () => {
  let server: TestServer
  before(async () => {
    server = await serve('declared_icons', { contentTypes: CONTENT_TYPES })
  })
  after(() => server.close())

  const data = async (path: string): Promise<Json> => (await server.send('GET', path)).body.data

  it('are part of content-types', async () => {
    const types = await data('/admin/content-types')
    const icons = types.map(({ uid, icon }: Json) => [uid, icon ?? null])
    expect(Object.fromEntries(icons)).to.deep.equal({
      'api::article.article': 'feather',
      'api::note.note': null,
      'api::tag.tag': null,
    })
    const one = await data('/admin/content-types/api::article.article')
    expect(one).to.include({ icon: 'feather', description: '' })
    expect(await data('/admin/content-types/api::tag.tag')).to.not.have.property('icon')
  })

  it('are part of components, with their description', async () => {
    const shown = await data('/admin/components')
    const known = shown.map(({ attributes: _attributes, ...rest }: Json) => rest)
    expect(known).to.have.deep.members([
      { uid: 'shared.link', displayName: 'link' },
      {
        uid: 'shared.seo',
        displayName: 'SEO',
        icon: 'search',
        description: 'Words for search engines',
      },
    ])
  })
})
