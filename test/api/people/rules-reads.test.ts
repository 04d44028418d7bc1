import { expect } from 'chai'
import { declare, type Json, serve, type TestServer } from '../../support/server.ts'
import { addEntry, addMember, type Member, RULED_TYPES, setRules } from './rules-world.ts'

const OWN = { owner: '$user' }

describe('rules of read permissions', () => {
  let server: TestServer
  let ann: Member
  let bob: Member
  let annsNote: string
  let bobsNote: string

  before(async () => {
    server = await serve('rules_reads', { contentTypes: RULED_TYPES, locales: ['en', 'de'] })
    ann = await addMember(server, 'ann')
    bob = await addMember(server, 'bob')
    const team = await addEntry(server, '/api/teams', {
      name: 'Reds',
      members: [ann.documentId, bob.documentId],
    })
    const noteOf = async (name: string, owner: Member): Promise<string> => {
      const note = await addEntry(server, '/api/notes', {
        title: `canary-${name}`,
        body: `canary-${name}`,
        owner: owner.documentId,
        team: team.documentId,
      })
      await addEntry(server, '/api/comments', { text: 'comment', note: note.documentId })
      return note.documentId
    }
    annsNote = await noteOf('ann', ann)
    bobsNote = await noteOf('bob', bob)
    for (const [name, owner] of [
      ['ann', ann],
      ['bob', bob],
    ] as const) {
      const data = { title: `canary-${name}`, owner: owner.documentId }
      const page = await addEntry(server, '/api/pages?status=draft', data)
      const path = `/api/pages/${page.documentId}`
      await server.put(`${path}?locale=de&status=draft`, { ...data, title: `canary-${name}-de` })
      await server.send('POST', `${path}/actions/publish?locale=*`, {})
    }
    await setRules(
      server,
      'authenticated',
      [
        { action: 'api::note.note.find', where: OWN },
        { action: 'api::note.note.findOne', where: OWN },
        { action: 'api::page.page.find', where: OWN },
        { action: 'api::page.page.findOne', where: OWN },
      ],
      [
        'api::team.team.find',
        'api::team.team.findOne',
        'api::comment.comment.find',
        'api::comment.comment.findOne',
        'api::page.page.readDrafts',
        'plugin::users-permissions.user.find',
      ],
    )
  })
  after(() => server.close())

  const canary = 'filters[title][$contains]=canary'
  const lists = [
    '/api/notes',
    `/api/notes?${canary}`,
    '/api/notes?_q=canary',
    '/api/notes?sort=title&pagination[withCount]=false',
    '/api/notes?pagination[pageSize]=1&pagination[withCount]=estimate',
    '/api/notes?populate=*',
    '/api/notes?filters[$not][title]=x',
    '/api/teams?populate=notes',
    '/api/teams?populate[notes][fields]=title&populate[notes][sort]=title',
    '/api/teams?populate[notes][populate]=team.notes',
    '/api/comments?populate=note',
    '/api/comments?populate[note][populate]=team.notes',
    '/api/comments?populate=note.team.notes.team',
    '/api/pages',
    '/api/pages?locale=*',
    '/api/pages?populate=localizations',
    '/api/pages?status=draft&populate[localizations][fields]=title',
    '/api/pages?locale=de&fallbackLocale=en',
    '/api/users?populate=*',
  ]
  for (const path of lists) {
    it(`shows no entry that is hidden: ${path}`, async () => {
      const answers = await Promise.all([ann, bob].map(({ token }) => server.get(path, { token })))
      for (const [answer, own, hidden] of [
        [answers[0], 'ann', 'bob'],
        [answers[1], 'bob', 'ann'],
      ] as const) {
        expect(answer?.status, answer?.text).to.equal(200)
        expect(answer?.text).not.to.include(`canary-${hidden}`)
        if (!path.startsWith('/api/users')) expect(answer?.text).to.include(`canary-${own}`)
      }
    })
  }

  it('counts visible entries only', async () => {
    const { body } = await server.get('/api/notes', { token: ann.token })
    expect(body.meta.pagination.total).to.equal(1)
    const counted = '/api/teams?populate[notes][count]=true'
    const { body: teams } = await server.get(counted, { token: ann.token })
    expect(teams.data[0].notes).to.deep.equal({ count: 1 })
  })

  it('hides restricted targets in a populate of ids', async () => {
    const { body: teams } = await server.get('/api/teams?populate[notes]=ids', { token: ann.token })
    expect(teams.data[0].notes).to.deep.equal([annsNote])
    const path = '/api/comments?populate[note]=ids&sort=id'
    const { body: comments } = await server.get(path, { token: ann.token })
    expect(comments.data.map(({ note }: { note: unknown }) => note)).to.deep.equal([annsNote, null])
  })

  it('compares visible targets only', async () => {
    const total = async (filters: string, { token }: Member): Promise<number> => {
      const { body, text, status } = await server.get(`/api/comments?${filters}`, { token })
      expect(status, text).to.equal(200)
      return body.meta.pagination.total
    }
    expect(await total('filters[note][title]=canary-bob', ann)).to.equal(0)
    expect(await total('filters[note][title]=canary-bob', bob)).to.equal(1)
    expect(await total(`filters[note]=${bobsNote}`, ann)).to.equal(0)
    expect(await total('filters[note][$notNull]=true', ann)).to.equal(1)
    expect(await total('filters[note][$null]=true', ann)).to.equal(1)
    expect(await total('filters[note][team][notes][title]=canary-bob', ann)).to.equal(0)
  })

  it('responds to a hidden entry as to a missing one', async () => {
    const hidden = await server.get(`/api/notes/${bobsNote}`, { token: ann.token })
    const missing = await server.get(`/api/notes/${'a'.repeat(24)}`, { token: ann.token })
    expect(hidden.status).to.equal(404)
    expect(hidden.text).to.equal(missing.text)
    expect((await server.get(`/api/notes/${annsNote}`, { token: ann.token })).status).to.equal(200)
  })

  it('refuses to sort by targets that a rule hides, and names the path', async () => {
    const answer = await server.get('/api/comments?sort=note.title', { token: ann.token })
    expect(answer.status).to.equal(400)
    expect(answer.text).to.include('note.title')
  })

  it('refuses anonymous callers, API tokens and doors without rules', async () => {
    expect((await server.get('/api/notes', { token: null })).status).to.equal(403)
    for (const [method, path] of [
      ['GET', '/api/_sync?types=note'],
      ['PUT', `/api/notes/${annsNote}`],
      ['DELETE', `/api/notes/${annsNote}`],
    ] as const) {
      const body = method === 'PUT' ? { data: { title: 'x' } } : undefined
      const answer = await server.send(method, path, { token: ann.token, body })
      expect(answer.status, `${path} ${answer.text}`).to.equal(403)
    }
  })
})

describe('rules of drafts', () => {
  it('join the rules of find and hide drafts of targets', async () => {
    const server = await serve('rules_drafts', {
      contentTypes: {
        person: declare('person', {
          name: { type: 'string' },
          pages: {
            type: 'relation',
            relation: 'oneToMany',
            target: 'api::page.page',
            mappedBy: 'author',
          },
        }),
        page: declare(
          'page',
          {
            title: { type: 'string' },
            isOpen: { type: 'boolean' },
            author: {
              type: 'relation',
              relation: 'manyToOne',
              target: 'api::person.person',
              inversedBy: 'pages',
            },
          },
          { draftAndPublish: true },
        ),
      },
    })
    try {
      const author = (await addEntry(server, '/api/persons', { name: 'a' })).documentId
      for (const isOpen of [true, false]) {
        for (const title of ['published', 'draft']) {
          const status = title === 'draft' ? 'draft' : 'published'
          const data = { title: `${title}-${isOpen}`, isOpen, author }
          await addEntry(server, `/api/pages?status=${status}`, data)
        }
      }
      const page = (verb: string) => `api::page.page.${verb}`
      const where = { isOpen: true }
      await setRules(
        server,
        'public',
        [{ action: page('readDrafts'), where }],
        [page('find'), page('findOne'), 'api::person.person.find'],
      )
      const text = async (path: string): Promise<string> => {
        const answer = await server.get(path, { token: null })
        expect(answer.status, answer.text).to.equal(200)
        return answer.text
      }
      expect(await text('/api/pages')).to.include('published-false')
      for (const path of [
        '/api/pages?status=draft',
        '/api/persons?status=draft&populate=pages',
        '/api/persons?status=draft&populate[pages][populate]=author.pages',
      ]) {
        expect(await text(path))
          .to.include('draft-true')
          .and.not.include('draft-false')
      }
      const filters = 'filters[pages][title]=draft-false'
      expect(JSON.parse(await text(`/api/persons?status=draft&${filters}`)).data).to.deep.equal([])
    } finally {
      await server.close()
    }
  })
})

describe('rules with the creator', () => {
  it('show users the entries that they created', async () => {
    const server = await serve('rules_creator', { contentTypes: RULED_TYPES })
    try {
      const where = { createdBy: '$user' }
      await setRules(
        server,
        'authenticated',
        [{ action: 'api::note.note.find', where }],
        ['api::note.note.create'],
      )
      await addEntry(server, '/api/notes', { title: 'of-root' })
      for (const name of ['ann', 'bob']) {
        const { token } = await addMember(server, name)
        const made = await server.post('/api/notes', { title: `of-${name}` }, { token })
        expect(made.status, made.text).to.equal(201)
        const { body } = await server.get('/api/notes', { token })
        expect(body.data.map(({ title }: Json) => title)).to.deep.equal([`of-${name}`])
      }
    } finally {
      await server.close()
    }
  })
})

describe('fields of read permissions', () => {
  let server: TestServer
  let note: string

  before(async () => {
    server = await serve('rules_fields', { contentTypes: RULED_TYPES })
    const { documentId } = await addEntry(server, '/api/notes', {
      title: 'title',
      body: 'canary',
      isOpen: true,
    })
    note = documentId
    await addEntry(server, '/api/notes', { title: 'closed-canary', isOpen: false })
    await addEntry(server, '/api/comments', { text: 'a', note })
    const fields = ['title', 'isOpen']
    await setRules(
      server,
      'public',
      [
        { action: 'api::note.note.find', where: { isOpen: true }, fields },
        { action: 'api::note.note.findOne', where: { isOpen: true }, fields },
      ],
      ['api::comment.comment.find', 'api::team.team.find'],
    )
  })
  after(() => server.close())

  for (const path of [
    '/api/notes',
    '/api/notes?populate=*',
    '/api/notes?_q=canary',
    '/api/comments?populate=note',
    '/api/comments?populate=*',
  ]) {
    it(`shows only the fields of the rule: ${path}`, async () => {
      const answer = await server.get(path, { token: null })
      expect(answer.status, answer.text).to.equal(200)
      expect(answer.text).not.to.include('canary')
    })
  }

  it('finds nothing by a search in hidden attributes', async () => {
    const { body } = await server.get('/api/notes?_q=canary', { token: null })
    expect(body.data).to.deep.equal([])
  })

  it('shows one entry with the fields of the rule', async () => {
    const { body } = await server.get(`/api/notes/${note}`, { token: null })
    expect(body.data).to.include({ title: 'title', isOpen: true })
    expect(body.data).not.to.have.property('body')
  })

  for (const query of [
    'filters[body]=canary',
    'sort=body',
    'fields=body',
    'filters[team][name]=a',
  ]) {
    it(`refuses hidden attributes: ${query}`, async () => {
      const answer = await server.get(`/api/notes?${query}`, { token: null })
      expect(answer.status, answer.text).to.equal(400)
    })
  }

  for (const query of [
    'filters[note][body]=canary',
    'sort=note.body',
    'populate[note][fields]=body',
  ]) {
    it(`refuses hidden attributes of targets: ${query}`, async () => {
      const answer = await server.get(`/api/comments?${query}`, { token: null })
      expect(answer.status, answer.text).to.equal(400)
    })
  }
})
