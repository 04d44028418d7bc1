import { expect } from 'chai'
import {
  addAdministrator,
  addRole,
  type AdminClient,
  asAdministrator,
  signIn,
} from '../../support/admin-client.ts'
import { declare, type Json, serve, type TestServer } from '../../support/server.ts'
import { MULTIPART, multipart, type Parts } from '../../support/uploads.ts'

const CONTENT_TYPES = {
  article: declare(
    'article',
    {
      title: { type: 'string' },
      cover: { type: 'media', multiple: false },
      parts: { type: 'component', component: 'shared.part', repeatable: true },
    },
    { draftAndPublish: true },
  ),
  'components/shared/part': { attributes: { pictures: { type: 'media', multiple: true } } },
}

describe('media for administrators', () => {
  let server: TestServer
  let editor: AdminClient
  let author: AdminClient

  before(async () => {
    server = await serve('admin_media', {
      contentTypes: CONTENT_TYPES,
      environment: { RATE_LIMIT: 'off' },
    })
    await addAdministrator(server, 'Editor', ['editor'])
    await addAdministrator(server, 'Author', ['author'])
    editor = await signIn(server, 'editor@example.org')
    author = await signIn(server, 'author@example.org')
  })
  after(() => server.close())

  const send = (who: AdminClient, method: string, target: string, parts: Parts) =>
    server.send(method, target, {
      token: null,
      headers: { ...MULTIPART, cookie: who.cookie, 'sec-fetch-site': 'same-origin' },
      body: multipart(parts),
    })
  const file = (name: string, content: string, type = 'text/plain'): Parts => ({
    files: [{ name, content, type }],
  })
  const add = async (name: string, folder?: string): Promise<Json> => {
    const parts = file(name, `bytes of ${name}`)
    const fields = folder === undefined ? {} : { folder }
    const answer = await send(editor, 'POST', '/admin/files', { ...parts, fields })
    expect(answer.status, answer.text).to.equal(201)
    return answer.body.data[0]
  }
  const folder = async (name: string, parent: string | null = null): Promise<Json> => {
    const answer = await editor.send('POST', '/admin/folders', { name, parent })
    expect(answer.status, answer.text).to.equal(201)
    return answer.body.data
  }
  const names = async (query: string): Promise<readonly string[]> => {
    const answer = await editor.send('GET', `/admin/files?${query}`)
    expect(answer.status, answer.text).to.equal(200)
    return answer.body.data.map(({ name }: Json) => name)
  }

  it('places files and folders in folders', async () => {
    const pictures = await folder('Pictures')
    const summer = await folder('Summer', pictures.id)
    expect(summer).to.include({ path: 'Pictures/Summer', parent: pictures.id })
    const first = await add('in-summer.txt', summer.id)
    expect(first.folder).to.equal(summer.id)
    await add('at-root.txt')
    expect(await names(`folder=${summer.id}`)).to.deep.equal(['in-summer.txt'])
    expect(await names('folder=root')).to.deep.equal(['at-root.txt'])
    expect(await names('sort=name')).to.deep.equal(['at-root.txt', 'in-summer.txt'])
    const moved = await editor.send('POST', '/admin/files/move', {
      ids: [first.documentId, 'a'.repeat(24)],
      folder: pictures.id,
    })
    expect(moved.body.data.map(({ status }: Json) => status)).to.deep.equal([200, 404])
    const listed: Json[] = (await editor.send('GET', '/admin/folders')).body.data
    expect(listed.map(({ path, files }) => [path, files])).to.deep.equal([
      ['Pictures', 1],
      ['Pictures/Summer', 0],
    ])
    const loop = await editor.send('PUT', `/admin/folders/${pictures.id}`, { parent: summer.id })
    expect(loop.status).to.equal(400)
    const twin = await editor.send('POST', '/admin/folders', { name: 'Pictures' })
    expect(twin.body.error.details.errors[0].path).to.deep.equal(['name'])
    expect((await editor.send('DELETE', `/admin/folders/${pictures.id}`)).status).to.equal(400)
    expect((await editor.send('DELETE', `/admin/folders/${summer.id}`)).status).to.equal(200)
    const renamed = await editor.send('PUT', `/admin/folders/${pictures.id}`, { name: 'Images' })
    expect(renamed.body.data.path).to.equal('Images')
    for (const body of [{}, { name: 'a/b' }, { name: ' x' }, { name: 'x', parent: 'no' }]) {
      expect((await editor.send('POST', '/admin/folders', body)).status).to.equal(400)
    }
  })

  it('never creates a cycle of folders during concurrent moves', async () => {
    const made = [await folder('a'), await folder('b'), await folder('c')]
    const [a, b, c] = made.map(({ id }) => id)
    await Promise.all(
      [
        [a, b],
        [b, c],
        [c, a],
      ].map(([id, parent]) => editor.send('PUT', `/admin/folders/${id}`, { parent })),
    )
    const listed: Json[] = (await editor.send('GET', '/admin/folders')).body.data
    const roots = listed.filter(({ id, parent }) => [a, b, c].includes(id) && parent === null)
    expect(roots.length).to.be.at.least(1)
  })

  it('finds files by name and kind, page by page', async () => {
    await add('100% (sure).txt')
    expect(await names(`search=${encodeURIComponent('% (SURE)')}`)).to.deep.equal([
      '100% (sure).txt',
    ])
    expect(await names('search=.*')).to.deep.equal([])
    expect(await names('kind=image')).to.deep.equal([])
    expect(await names('kind=file&pagination[pageSize]=1')).to.have.length(1)
    for (const query of [
      'kind=x',
      'sort=hash',
      'sort[x]=1',
      'unused=2',
      'search[$ne]=1',
      'folder[]=1',
    ]) {
      expect((await editor.send('GET', `/admin/files?${query}`)).status, query).to.equal(400)
    }
  })

  it('lists the usages of a file, and the unused files', async () => {
    const [cover, picture, lonely] = [await add('c.txt'), await add('p.txt'), await add('l.txt')]
    const data = {
      title: 'Uses',
      cover: cover.documentId,
      parts: [{ pictures: [picture.documentId] }],
    }
    const made = await editor.send('POST', '/admin/content/api::article.article', { data })
    expect(made.status, made.text).to.equal(201)
    const usages = async ({ id }: Json): Promise<Json> =>
      (await editor.send('GET', `/admin/files/${id}/usages`)).body.data
    expect((await usages(cover))[0]).to.include({ title: 'Uses', field: 'cover' })
    expect((await usages(picture))[0]).to.include({ field: 'parts.pictures' })
    expect(await usages(lonely)).to.deep.equal([])
    const unused = await names('unused=true&pagination[pageSize]=100')
    expect(unused).to.include('l.txt').and.not.include('c.txt').and.not.include('p.txt')
  })

  it('changes the texts of a file, replaces its bytes and deletes it', async () => {
    const made = await add('old.txt')
    const path = `/admin/files/${made.id}`
    const focalPoint = { x: 10, y: 20 }
    const changed = await editor.send('PUT', path, { alternativeText: 'a text', focalPoint })
    expect(changed.body.data).to.deep.include({ alternativeText: 'a text', focalPoint })
    const replaced = await send(editor, 'PUT', path, file('new.txt', 'other bytes'))
    expect(replaced.status, replaced.text).to.equal(200)
    expect(replaced.body.data.url).to.equal(made.url)
    expect((await server.get(made.url, { token: null })).text).to.equal('other bytes')
    for (const body of [{ hash: 'x' }, { url: '/x' }, { folder: 'no' }, { alternativeText: 7 }]) {
      expect((await editor.send('PUT', path, body)).status, JSON.stringify(body)).to.equal(400)
    }
    expect((await author.send('DELETE', path)).status).to.equal(403)
    expect((await editor.send('DELETE', path)).status).to.equal(204)
    expect((await editor.send('GET', path)).status).to.equal(404)
  })

  it('refuses to attach an uploaded file to an entry', async () => {
    const fields = { ref: 'api::article.article', refId: '1', field: 'cover' }
    const parts = { ...file('a.txt', 'x'), fields }
    const answer = await send(editor, 'POST', '/admin/files', parts)
    expect(answer.headers['error-code']).to.equal('invalid_upload')
  })

  it('serves uploaded scripts without running them on the origin of the server', async () => {
    const script = '<script>fetch("/admin/session")</script>'
    for (const [name, type] of [
      ['page.html', 'text/html'],
      ['page.xhtml', 'application/xhtml+xml'],
      ['image.svg', 'image/svg+xml'],
      ['code.js', 'text/javascript'],
    ] as const) {
      const content =
        name === 'image.svg' ? `<svg xmlns="http://www.w3.org/2000/svg">${script}</svg>` : script
      const answer = await send(editor, 'POST', '/admin/files', file(name, content, type))
      expect(answer.status, answer.text).to.equal(201)
      const { headers } = await server.get(answer.body.data[0].url, { token: null })
      expect(headers['x-content-type-options'], name).to.equal('nosniff')
      expect(headers['content-security-policy'], name).to.match(/sandbox/)
      for (const dest of ['script', 'worker', 'serviceworker', 'style', 'object']) {
        const asked = { 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': dest }
        const sent = { token: null, headers: asked }
        const program = await server.get(answer.body.data[0].url, sent)
        expect(program.status, `${name} as ${dest}`).to.equal(403)
      }
      const isShown = headers['content-disposition'] !== 'attachment'
      expect(isShown, name).to.equal(name === 'image.svg')
    }
  })

  it('refuses uploads without a session or without the permission', async () => {
    await addRole(server, 'reader', ['plugin::upload.content-api.find'])
    await addAdministrator(server, 'Reader', ['reader'])
    const reader = await signIn(server, 'reader@example.org')
    const parts = file('x.txt', 'x')
    expect((await send(reader, 'POST', '/admin/files', parts)).status).to.equal(403)
    expect((await reader.send('GET', '/admin/files')).status).to.equal(200)
    const nobody = asAdministrator(server, 'quire_admin=x')
    expect((await send(nobody, 'POST', '/admin/files', parts)).status).to.equal(401)
  })
})
