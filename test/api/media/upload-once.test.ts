import { documentIdFrom } from '@quire/schema/derived-id'
import { expect } from 'chai'
import { noisyPng } from '../../media/sample-images.ts'
import { addMember, type Member, RULED_TYPES, setRules } from '../people/rules-world.ts'
import { addAdministrator, type AdminClient, signIn } from '../../support/admin-client.ts'
import { type Answer, ROOT_TOKEN, serve, type TestServer } from '../../support/server.ts'
import { MULTIPART, multipart, type Parts } from '../../support/uploads.ts'

const UPLOAD = 'plugin::upload.content-api.upload'

const TEXT: Parts = { files: [{ name: 'a.txt', content: 'hello' }] }

for (const storage of ['local', 'gridfs']) {
  describe(`an upload with an Idempotency-Key on ${storage}`, () => {
    let server: TestServer
    let anna: Member
    let bert: Member
    let editor: AdminClient

    before(async () => {
      server = await serve(`upload_once_${storage}`, {
        contentTypes: RULED_TYPES,
        environment: { UPLOAD_STORAGE: storage },
        permitted: ['plugin::users-permissions.auth.register', UPLOAD],
      })
      await setRules(server, 'authenticated', [], [UPLOAD])
      anna = await addMember(server, 'anna')
      bert = await addMember(server, 'bert')
      await addAdministrator(server, 'Editor', ['editor'])
      editor = await signIn(server, 'editor@example.org')
    })
    after(() => server.close())

    const upload = (token: string | null, key: string, parts: Parts = TEXT): Promise<Answer> =>
      server.send('POST', '/api/upload', {
        headers: { ...MULTIPART, 'Idempotency-Key': key },
        body: multipart(parts),
        token,
      })
    const isReplayed = ({ headers }: Answer): boolean => headers['idempotency-replayed'] === 'true'

    it('stores the file once, under an id that the client can derive', async () => {
      const picture = {
        files: [{ name: 'a.png', content: await noisyPng(300, 200), type: 'image/png' }],
      }
      const first = await upload(anna.token, 'picture', picture)
      const count = await server.count('files')
      const second = await upload(anna.token, 'picture', picture)
      expect([first.status, second.status]).to.deep.equal([201, 201])
      expect([isReplayed(first), isReplayed(second)]).to.deep.equal([false, true])
      expect(second.body).to.deep.equal(first.body)
      expect(first.body[0].documentId).to.equal(
        documentIdFrom('f', `file:user:${anna.documentId}:picture`),
      )
      expect(await server.count('files')).to.equal(count)
      expect((await server.get(first.body[0].url)).status).to.equal(200)
    })

    it('stores it once when eight requests race, and its bytes stay readable', async () => {
      const count = await server.count('files')
      const answers = await Promise.all(Array.from({ length: 8 }, () => upload(anna.token, 'race')))
      expect(answers.map(({ status }) => status)).to.deep.equal(answers.map(() => 201))
      expect(new Set(answers.map(({ body }) => body[0].id))).to.have.property('size', 1)
      expect(answers.filter((answer) => !isReplayed(answer))).to.have.length(1)
      expect(await server.count('files')).to.equal(count + 1)
      expect((await server.get(answers[0]?.body[0].url)).text).to.equal('hello')
    })

    it('has keys of its own for each user', async () => {
      const [one, other] = [await upload(anna.token, 'same'), await upload(bert.token, 'same')]
      expect(isReplayed(other)).to.equal(false)
      expect(one.body[0].documentId).not.to.equal(other.body[0].documentId)
    })

    it('is refused while the file is in the trash, which can be restored', async () => {
      const [{ id, documentId, url }] = (await upload(anna.token, 'gone')).body
      await server.send('DELETE', `/api/upload/files/${id}`, { token: ROOT_TOKEN })
      const refused = await upload(anna.token, 'gone')
      expect([refused.status, refused.headers['error-code']]).to.deep.equal([409, 'file_changed'])
      const resumed = await server.send('POST', '/api/upload/resumable', {
        headers: { 'Idempotency-Key': 'gone', 'Tus-Resumable': '1.0.0', 'Upload-Length': '5' },
        token: anna.token,
      })
      expect([resumed.status, resumed.headers['error-code']]).to.deep.equal([409, 'file_changed'])

      const path = `/admin/trash/plugin::upload.file/${documentId}/restore`
      const restored = await editor.send('POST', path, { data: {} })
      expect(restored.status, restored.text).to.equal(200)
      expect((await server.get(url)).text).to.equal('hello')
      const again = await upload(anna.token, 'gone')
      expect([isReplayed(again), again.body[0].id]).to.deep.equal([true, id])
    })

    it('stores the file again if it was deleted for good', async () => {
      const [{ id, documentId }] = (await upload(anna.token, 'ended')).body
      await server.send('DELETE', `/api/upload/files/${id}`, { token: ROOT_TOKEN })
      const ended = await editor.send('DELETE', `/admin/trash/plugin::upload.file/${documentId}`)
      expect(ended.status, ended.text).to.equal(204)
      const again = await upload(anna.token, 'ended')
      expect(isReplayed(again)).to.equal(false)
      expect(again.body[0].documentId).to.equal(documentId)
    })

    it('is refused for callers without an identity, for several files and with ref', async () => {
      const refused: readonly (readonly [string | null, string, Parts])[] = [
        [null, 'a', TEXT],
        [ROOT_TOKEN, 'a', TEXT],
        [anna.token, 'a b', TEXT],
        [anna.token, 'x'.repeat(256), TEXT],
        [anna.token, 'two', { files: [...(TEXT.files ?? []), { name: 'b.txt', content: 'b' }] }],
        [
          anna.token,
          'ref',
          { ...TEXT, fields: { ref: 'api::note.note', refId: 'x', field: 'cover' } },
        ],
      ]
      const count = await server.count('files')
      for (const [token, key, parts] of refused) {
        const { status, body } = await upload(token, key, parts)
        expect([status, body.error?.details?.header], key).to.deep.equal([400, 'Idempotency-Key'])
      }
      expect(await server.count('files')).to.equal(count)
    })
  })
}
