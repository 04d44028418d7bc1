import { expect } from 'chai'
import { testUri } from '../../support/test-database.ts'
import { type DatabaseProxy, openDatabaseProxy } from '../../support/database-proxy.ts'
import { declare, type Json, serve, type TestServer } from '../../support/server.ts'

const relation = (kind: string, target: string, more: object = {}): object => ({
  type: 'relation',
  relation: kind,
  target: `api::${target}.${target}`,
  ...more,
})

describe('relations, components and populate', () => {
  let proxy: DatabaseProxy
  let server: TestServer
  const tags: { documentId: string; id: number }[] = []

  before(async () => {
    proxy = await openDatabaseProxy(await testUri())
    server = await serve('relations', {
      uri: proxy.uri,
      contentTypes: {
        post: declare(
          'post',
          {
            title: { type: 'string' },
            tags: relation('manyToMany', 'tag', { inversedBy: 'posts' }),
            main: relation('manyToOne', 'tag', { inversedBy: 'mains' }),
            note: relation('oneToOne', 'note'),
            seo: { type: 'component', component: 'shared.seo' },
            links: { type: 'component', component: 'shared.link', repeatable: true },
            sections: { type: 'dynamiczone', components: ['shared.seo', 'shared.link'] },
          },
          { draftAndPublish: true },
        ),
        tag: declare('tag', {
          name: { type: 'string' },
          posts: relation('manyToMany', 'post', { mappedBy: 'tags' }),
          mains: relation('oneToMany', 'post', { mappedBy: 'main' }),
        }),
        note: declare('note', { text: { type: 'string' } }),
        'components/shared/seo': {
          info: { displayName: 'seo' },
          attributes: {
            metaTitle: { type: 'string' },
            tag: relation('oneToOne', 'tag'),
            link: { type: 'component', component: 'shared.link' },
          },
        },
        'components/shared/link': {
          info: { displayName: 'link' },
          attributes: { label: { type: 'string' }, tag: relation('oneToOne', 'tag') },
        },
      },
      permitted: [
        'api::post.post.find',
        'api::post.post.create',
        'api::post.post.update',
        'api::tag.tag.find',
      ],
    })
    for (const name of ['a', 'b', 'c', 'd']) {
      tags.push((await server.post('/api/tags', { name })).body.data)
    }
  })

  after(async () => {
    await server.close()
    await proxy.close()
  })

  const create = async (data: object, query = ''): Promise<Json> => {
    const answer = await server.post(`/api/posts?${query}`, data)
    expect(answer.status, answer.text).to.equal(201)
    return answer.body.data
  }

  const show = async (documentId: string, query = 'populate=*'): Promise<Json> => {
    const answer = await server.get(`/api/posts/${documentId}?${query}`)
    expect(answer.status, answer.text).to.equal(200)
    return answer.body.data
  }

  const tag = (name: string): string => tags['abcd'.indexOf(name)]?.documentId ?? ''
  const numericId = (name: string): number => tags['abcd'.indexOf(name)]?.id ?? 0
  const namesOf = (shown: Json): string =>
    shown.map(({ name }: { readonly name: string }) => name).join('')

  describe('payloads', () => {
    /** A payload for a post with the tags a and b, and the tags of the post afterwards. */
    const rows: readonly (readonly [string, () => unknown, string])[] = [
      ['a list of documentIds', () => [tag('c'), tag('a')], 'ca'],
      ['one documentId', () => tag('c'), 'c'],
      ['one numeric id', () => numericId('c'), 'c'],
      ['a numeric id as a string', () => [String(numericId('d'))], 'd'],
      ['objects', () => [{ documentId: tag('d') }, { id: numericId('a') }], 'da'],
      ['set', () => ({ set: [tag('c')] }), 'c'],
      ['set with connect', () => ({ set: [tag('c')], connect: [tag('d')] }), 'c'],
      ['set to null', () => ({ set: null }), 'ab'],
      ['an empty change', () => ({}), 'ab'],
      ['null', () => null, ''],
      ['an empty list', () => [], ''],
      ['a duplicate', () => [tag('c'), tag('c')], 'c'],
      ['connect', () => ({ connect: [tag('c')] }), 'abc'],
      ['connect of one', () => ({ connect: tag('c') }), 'abc'],
      ['connect of a connected entry', () => ({ connect: [tag('a')] }), 'ba'],
      ['disconnect', () => ({ disconnect: [tag('a')] }), 'b'],
      ['disconnect of an unconnected entry', () => ({ disconnect: [tag('d')] }), 'ab'],
      ['disconnect of unknown entries', () => ({ disconnect: [tag('a'), 'zzz', 999999] }), 'b'],
      [
        'a position next to an unconnected entry with strict: false',
        () => ({
          connect: [{ documentId: tag('c'), position: { before: tag('d') } }],
          options: { strict: false },
        }),
        'abc',
      ],
      [
        'connect and disconnect of the same entry',
        () => ({ connect: [tag('a')], disconnect: [tag('a')] }),
        'ba',
      ],
      ['start', () => ({ connect: [{ documentId: tag('c'), position: { start: true } }] }), 'cab'],
      [
        'before',
        () => ({ connect: [{ id: numericId('c'), position: { before: tag('b') } }] }),
        'acb',
      ],
      [
        'after',
        () => ({ connect: [{ documentId: tag('c'), position: { after: numericId('a') } }] }),
        'acb',
      ],
      [
        'positions that refer to each other',
        () => ({
          connect: [
            { documentId: tag('c'), position: { before: tag('d') } },
            { documentId: tag('d'), position: { start: true } },
          ],
        }),
        'cdab',
      ],
    ]
    for (const [subject, sent, expected] of rows) {
      it(`accepts ${subject}`, async () => {
        const { documentId } = await create({ tags: [tag('a'), tag('b')] })
        const answer = await server.put(`/api/posts/${documentId}?populate=tags`, { tags: sent() })
        expect(answer.status, answer.text).to.equal(200)
        expect(namesOf(answer.body.data.tags)).to.equal(expected)
        for (const status of ['draft', 'published']) {
          const shown = await show(documentId, `populate=tags&status=${status}`)
          expect(namesOf(shown.tags), status).to.equal(expected)
        }
      })
    }

    const refused: readonly (readonly [string, unknown, string])[] = [
      ['an unknown documentId', ['zzz'], 'Document with id "zzz", locale "null" not found'],
      [
        'connect of an unknown entry',
        { connect: ['zzz'] },
        'Document with id "zzz", locale "null" not found',
      ],
      [
        'an unknown numeric id',
        [999999],
        '1 relation(s) of type api::tag.tag associated with this entity do not exist',
      ],
      ['a number with a fraction', [1.5], 'Invalid relations'],
      ['true', true, 'Invalid relations'],
      ['an empty string', '', 'Invalid relations'],
      ['an unknown key', [{ foo: 1 }], 'Invalid key foo at tags'],
      ['a status', [{ documentId: 'x', status: 'draft' }], 'Invalid key status at tags'],
    ]
    for (const [subject, sent, message] of refused) {
      it(`refuses ${subject}`, async () => {
        const { status, body } = await server.post('/api/posts', { tags: sent })
        expect([status, body.error.name, body.error.message]).to.deep.equal([
          400,
          'ValidationError',
          message,
        ])
      })
    }

    it('refuses a position next to an unconnected entry', async () => {
      const position = { before: tag('d') }
      const sent = { tags: { connect: [{ documentId: tag('a'), position }] } }
      const { status, body } = await server.post('/api/posts', sent)
      expect(status).to.equal(400)
      expect(body.error.message).to.contain('needs to be connected first.')
    })

    it('accepts forty simultaneous connects without a 503', async () => {
      const { documentId } = await create({})
      const names = Array.from({ length: 40 }, (_, index) => `many${index}`)
      const many = await Promise.all(names.map((name) => server.post('/api/tags', { name })))
      const ids = many.map(({ body }) => body.data.documentId as string)
      const answers = await Promise.all(
        ids.map((id) => server.put(`/api/posts/${documentId}`, { tags: { connect: [id] } })),
      )
      expect(answers.map(({ status }) => status)).to.deep.equal(ids.map(() => 200))
      const { tags: shown } = await show(documentId, 'populate[tags]=ids')
      expect(shown).to.have.members(ids)
    })
  })

  describe('components', () => {
    const find = (documentId: string, status: string): Promise<Json> =>
      show(
        documentId,
        `populate[links][populate]=*&populate[seo][populate]=*&populate[sections][populate]=*&status=${status}`,
      )

    it('keeps the same ids in the draft and the published version', async () => {
      const { documentId } = await create({
        seo: { metaTitle: 'x', tag: tag('a'), link: { label: 'inner' } },
        links: [{ label: '1' }, { label: '2', tag: tag('b') }],
        sections: [{ __component: 'shared.link', label: 's', tag: tag('c') }],
      })
      const draft = await find(documentId, 'draft')
      const published = await find(documentId, 'published')
      for (const name of ['seo', 'links', 'sections']) {
        expect(published[name]).to.deep.equal(draft[name])
      }
      expect(published.sections[0].tag.name).to.equal('c')
      await server.put(`/api/posts/${documentId}`, { title: 'again' })
      expect((await find(documentId, 'published')).links).to.deep.equal(published.links)
    })

    it('merges and moves components with an id, and replaces components without one', async () => {
      const { documentId } = await create({
        links: [{ label: '1', tag: tag('a') }, { label: '2' }],
      })
      const [one, two] = (await find(documentId, 'published')).links
      await server.put(`/api/posts/${documentId}`, {
        links: [{ id: two.id }, { label: 'new' }, { id: one.id, label: 'changed' }],
      })
      const { links } = await find(documentId, 'published')
      expect(links.map(({ label }: Json) => label)).to.deep.equal(['2', 'new', 'changed'])
      expect([links[0].id, links[2].id, links[2].tag.name]).to.deep.equal([two.id, one.id, 'a'])
      await server.put(`/api/posts/${documentId}`, {
        links: [
          { id: one.id, label: 'first' },
          { id: one.id, label: 'last' },
        ],
      })
      const kept = (await find(documentId, 'published')).links
      expect(kept.map(({ label }: Json) => label)).to.deep.equal(['last'])
    })

    it('refuses the id of a foreign component', async () => {
      const { documentId } = await create({ seo: { metaTitle: 'x' } })
      const { status, body } = await server.put(`/api/posts/${documentId}`, { seo: { id: 99999 } })
      expect([status, body.error]).to.deep.equal([
        400,
        {
          status: 400,
          name: 'ApplicationError',
          message: 'Some of the provided components in seo are not related to the entity',
          details: {},
        },
      ])
    })

    it('removes a component by null, empties a list, and keeps absent attributes', async () => {
      const { documentId } = await create({ seo: { metaTitle: 'x' }, links: [{ label: '1' }] })
      await server.put(`/api/posts/${documentId}`, { seo: null })
      const shown = await find(documentId, 'published')
      expect([shown.seo, shown.links.length]).to.deep.equal([null, 1])
      await server.put(`/api/posts/${documentId}`, { links: [] })
      expect((await find(documentId, 'published')).links).to.deep.equal([])
      expect((await server.put(`/api/posts/${documentId}`, { links: null })).status).to.equal(400)
    })
  })

  describe('populate', () => {
    it('returns ids, counts, pages of lists and fragments', async () => {
      const { documentId } = await create({
        tags: [tag('a'), tag('b'), tag('c')],
        sections: [
          { __component: 'shared.link', label: 's' },
          { __component: 'shared.seo', metaTitle: 'm' },
        ],
      })
      const shown = async (query: string): Promise<Json> => show(documentId, query)
      expect((await shown('populate[tags]=ids')).tags).to.deep.equal(['a', 'b', 'c'].map(tag))
      expect((await shown('populate[tags][count]=true')).tags).to.deep.equal({ count: 3 })
      const part = 'populate[tags][pagination][page]=2&populate[tags][pagination][pageSize]=2'
      expect(namesOf((await shown(part)).tags)).to.equal('c')
      const sorted = 'populate[tags][sort]=name:desc&populate[tags][filters][name][$ne]=b'
      expect(namesOf((await shown(sorted)).tags)).to.equal('ca')
      const on = 'populate[sections][on][shared.seo][fields]=metaTitle'
      expect((await shown(on)).sections.map(({ metaTitle }: Json) => metaTitle)).to.deep.equal([
        'm',
      ])
    })

    it('returns the elements of a fragment that match its filters', async () => {
      const { documentId } = await create({
        sections: [
          { __component: 'shared.link', label: 'x' },
          { __component: 'shared.link', label: 'y' },
        ],
      })
      const shown = await show(documentId, 'populate[sections][on][shared.link][filters][label]=y')
      expect(shown.sections.map(({ label }: Json) => label)).to.deep.equal(['y'])
    })

    it('counts the selected elements of a dynamic zone without populating them', async () => {
      const { documentId } = await create({
        sections: [
          { __component: 'shared.link', label: 'x', tag: tag('a') },
          { __component: 'shared.seo', metaTitle: 'm' },
          { __component: 'shared.link', label: 'y', tag: tag('b') },
        ],
      })
      const rows: readonly (readonly [string, number])[] = [
        ['', 3],
        ['&populate[sections][on][shared.link]=true', 2],
        ['&populate[sections][on][shared.link][populate]=tag', 2],
        ['&populate[sections][on][shared.link][filters][label]=y', 1],
        ['&populate[sections][on][shared.seo]=true&populate[sections][on][shared.link]=true', 3],
      ]
      for (const [on, count] of rows) {
        await server.get('/api/posts?pagination[pageSize]=1', { token: null })
        proxy.takeCommands()
        const { sections } = await show(documentId, `populate[sections][count]=true${on}`)
        expect(sections, on).to.deep.equal({ count })
        expect(proxy.takeCommands(), on).to.deep.equal(['find'])
      }
    })

    it('returns stored ids without another query, even of deleted entries', async () => {
      const gone = (await server.post('/api/tags', { name: 'gone' })).body.data.documentId
      const { documentId } = await create({ tags: [tag('a'), gone], main: gone })
      await server.delete(`/api/tags/${gone}`)
      await server.get('/api/posts?pagination[pageSize]=1', { token: null })
      proxy.takeCommands()
      const shown = await show(documentId, 'populate[tags]=ids&populate[main]=ids')
      expect(proxy.takeCommands()).to.deep.equal(['find'])
      expect([shown.tags, shown.main]).to.deep.equal([[tag('a'), gone], gone])
    })

    for (const option of ['[filters][tag][name]=a', '[sort]=tag.name']) {
      it(`refuses ${option} in a component, even if no entry matches`, async () => {
        for (const at of ['links', 'sections][on][shared.link']) {
          const query = `populate[${at}]${option}&filters[title]=none`
          expect((await server.get(`/api/posts?${query}`)).status, query).to.equal(400)
        }
      })
    }

    it('omits a deleted entry, and accepts further changes of the list', async () => {
      const gone = (await server.post('/api/tags', { name: 'gone' })).body.data
      const { documentId } = await create({ tags: [tag('a'), gone.documentId, tag('b')] })
      await server.delete(`/api/tags/${gone.documentId}`)
      expect(namesOf((await show(documentId)).tags)).to.equal('ab')
      const answer = await server.put(`/api/posts/${documentId}`, { tags: { connect: [tag('c')] } })
      expect(answer.status).to.equal(200)
      expect(namesOf((await show(documentId)).tags)).to.equal('abc')
    })

    it('runs as many commands for a hundred entries as for one', async () => {
      await Promise.all(
        Array.from({ length: 100 }, (_, index) =>
          create({
            tags: [tag('a'), tag('d')],
            main: tag('abcd'[index % 4] ?? 'a'),
            links: [{ tag: tag('b') }],
          }),
        ),
      )
      const cost = async (size: number): Promise<readonly string[]> => {
        await server.get('/api/posts?pagination[pageSize]=1', { token: null })
        proxy.takeCommands()
        const query = `populate=*&sort=id:desc&pagination[pageSize]=${size}`
        const { body } = await server.get(`/api/posts?${query}`)
        expect(body.data).to.have.length(size)
        return [...proxy.takeCommands()].sort()
      }
      expect(await cost(100)).to.deep.equal(await cost(1))
    })
  })

  describe('an unreadable relation', () => {
    const refused: readonly (readonly [string, string, string])[] = [
      ['filtered', 'filters[note][text]=x', 'Invalid key note'],
      [
        'filtered below',
        'filters[tags][posts][note][text]=x',
        'Invalid key note at tags.posts.note',
      ],
      ['sorted', 'sort=note.text', 'Invalid key note'],
      [
        'filtered inside populate',
        'populate[tags][populate][posts][filters][note][text]=x',
        'populate.tags.populate.posts.filters: Invalid key note',
      ],
      [
        'sorted inside populate',
        'populate[tags][populate][posts][sort]=note.text',
        'populate.tags.populate.posts.sort: Invalid key note',
      ],
    ]
    for (const [subject, query, message] of refused) {
      it(`cannot be ${subject}`, async () => {
        const { status, body } = await server.get(`/api/posts?${query}`, { token: null })
        expect([status, body.error?.message]).to.deep.equal([400, message])
      })
    }

    it('cannot be populated or connected', async () => {
      const note = (await server.post('/api/notes', { text: 'x' })).body.data.documentId
      const { documentId } = await create({ note })
      for (const populate of ['populate=*', 'populate=note']) {
        const { body } = await server.get(
          `/api/posts?${populate}&filters[documentId]=${documentId}`,
          { token: null },
        )
        expect(body.data).to.have.length(1)
        expect(body.data[0]).to.not.have.property('note')
      }
      const { status, body } = await server.post('/api/posts', { note }, { token: null })
      expect([status, body.error.message]).to.deep.equal([400, 'Invalid key note'])
    })
  })

  it('refuses a cursor with a sort through a relation', async () => {
    const { status } = await server.get('/api/posts?sort=main.name&pagination[cursor]=')
    expect(status).to.equal(400)
  })

  it('refuses a sort by two lists of components', async () => {
    const answer = await server.get('/api/posts?sort=links.label,main.mains.links.label')
    expect([answer.status, answer.body.error?.message]).to.deep.equal([
      400,
      'sort: links and main.mains.links.label are lists; cannot sort by two list attributes',
    ])
    expect((await server.get('/api/posts?sort=links.label,links.id:desc')).status).to.equal(200)
    expect((await server.get('/api/posts?sort=links.tag.name,seo.tag.name')).status).to.equal(200)
  })

  it('sorts through two relations', async () => {
    const { status, text } = await server.get('/api/posts?sort=main.name,tags.name:desc')
    expect(status, text).to.equal(200)
  })
})
