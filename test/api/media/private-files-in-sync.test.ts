import { expect } from 'chai'
import { type Answer, declare, type Json, serve, type TestServer } from '../../support/server.ts'
import { MULTIPART, multipart } from '../../support/uploads.ts'

const RIGHTS = ['plugin::upload.content-api.find', 'plugin::upload.content-api.sync']

describe('private files in sync', () => {
  let server: TestServer
  let finder: string
  let open: Json
  let secret: Json

  before(async () => {
    server = await serve('private_sync', {
      contentTypes: { note: declare('note', { title: { type: 'string' } }) },
      permitted: RIGHTS,
    })
    const body = { name: 'finder', type: 'custom', permissions: RIGHTS }
    const made = await server.send('POST', '/admin/api-tokens', { body })
    finder = made.body.data.accessKey
    open = await upload('open.txt', false)
    secret = await upload('secret.txt', true)
    await server.settled()
  })
  after(() => server.close())

  const upload = async (name: string, isPrivate: boolean, target = ''): Promise<Json> => {
    const fields = { fileInfo: { name, private: isPrivate } }
    const files = target === '' ? [{ name, content: name }] : []
    const answer = await server.send('POST', `/api/upload${target}`, {
      headers: MULTIPART,
      body: multipart({ files, fields }),
    })
    expect(answer.status, answer.text).to.be.within(200, 201)
    return target === '' ? answer.body[0] : answer.body
  }

  const sync = async (token: string | null, query = 'types=upload.file'): Promise<Answer> => {
    await server.settled()
    const answer = await server.get(`/api/_sync?${query}`, { token })
    expect(answer.status, answer.text).to.equal(200)
    return answer
  }
  const opsOf = ({ body }: Answer): readonly string[] =>
    body.items.map(({ op, data, documentId }: Json) => `${op} ${data?.name ?? documentId ?? ''}`)

  it('leaves them out for anonymous callers only', async () => {
    expect(opsOf(await sync(null))).to.deep.equal(['put open.txt'])
    expect(opsOf(await sync(finder))).to.have.members(['put open.txt', 'put secret.txt'])
    expect(
      opsOf(await sync(null, 'types=upload.file&filters[upload.file][name]=secret.txt')),
    ).to.deep.equal([])
  })

  it('removes a file that becomes private, and sends one that becomes public', async () => {
    const { next } = (await sync(null)).body
    await upload('open.txt', true, `?id=${open.id}`)
    const hidden = await sync(null, `token=${next}`)
    expect(opsOf(hidden)).to.deep.equal([`delete ${open.documentId}`])
    expect(hidden.text).to.not.include('open.txt')
    await upload('secret.txt', false, `?id=${secret.id}`)
    const shown = await sync(null, `token=${hidden.body.next}`)
    expect(opsOf(shown)).to.deep.equal(['put secret.txt'])
    await upload('secret.txt', true, `?id=${secret.id}`)
    await upload('open.txt', false, `?id=${open.id}`)
  })

  it('sends the type again when the caller gains or loses them', async () => {
    const anonymous = (await sync(null)).body.next
    const gained = opsOf(await sync(finder, `token=${anonymous}`))
    expect(gained[0]).to.match(/^reset/)
    expect(gained).to.include('put secret.txt')
    const found = (await sync(finder)).body.next
    const lost = opsOf(await sync(null, `token=${found}`))
    expect(lost[0]).to.match(/^reset/)
    expect(lost).to.include('put open.txt').and.not.include('put secret.txt')
  })
})
