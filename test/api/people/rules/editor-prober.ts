import { expect } from 'chai'
import { addAdministrator, type AdminClient, signIn } from '../../../support/admin-client.ts'
import type { Answer, Json } from '../../../support/server.ts'
import { CANARY, canariesOf } from './canaries.ts'
import type { Dump, Status, Version } from './dump.ts'
import { isVisible } from './expected.ts'
import type { Reader } from './oracle.ts'
import { pathOf, type ServedWorld, uidOf, withoutUser } from './serve-world.ts'
import { type TypeName, TYPES, type World } from './world.ts'

const STATUSES = ['draft', 'published'] as const
/** Routes that wait for events, and pages of an identity provider. */
const STREAMS = /events|live|presence|oidc/
const MISSING = 'zzzzzzzzzzzzzzzzzzzzzzzz'

/** Reads every door of an administrator under rules, and compares with an interpreter of the rules. */
export class EditorProber {
  readonly #served: ServedWorld
  readonly #reader: Reader
  readonly #editor: AdminClient
  readonly #allowed: ReadonlySet<string>
  /** Requests by door and status. */
  readonly counts: Record<string, number> = {}

  private constructor(served: ServedWorld, reader: Reader, editor: AdminClient) {
    this.#served = served
    this.#reader = reader
    this.#editor = editor
    this.#allowed = canariesOf(withPast(served.dump), reader)
  }

  /** Stores an administrator with the rights of the token of the world. */
  static async of(served: ServedWorld, { rights }: World): Promise<EditorProber> {
    const held = withoutUser(rights.token)
    const all = Object.entries(held).map(([name, right]) => {
      const [type = '', verb = ''] = name.split('.')
      return { action: `${uidOf(type)}.${verb}`, right }
    })
    const body = {
      type: 'probing',
      name: 'Probing',
      permissions: all.flatMap(({ action, right }) => (right === 'always' ? [{ action }] : [])),
      rules: all.flatMap(({ action, right }) =>
        right === 'always' ? [] : right.map((rule) => ({ action, ...rule })),
      ),
    }
    const { server } = served
    const made = await server.send('POST', '/admin/administrator-roles', { body })
    expect(made.status, made.text).to.equal(201)
    await addAdministrator(server, 'Probe', ['probing'])
    const editor = await signIn(server, 'probe@example.org')
    return new EditorProber(served, { operands: {}, rights: held }, editor)
  }

  async probeAll(): Promise<void> {
    for (const type of TYPES) {
      for (const at of this.#statusesOf(type)) await this.#list(type, at)
      for (const documentId of this.#idsOf(type)) await this.#document(type, documentId)
    }
    const open = this.#served.server.routes.filter(
      ({ method, path }) => method === 'get' && /^\/admin\/[^:{]+$/.test(path),
    )
    for (const { path } of open) if (!STREAMS.test(path)) await this.#send('GET', path)
    await this.#trash()
  }

  async #list(type: TypeName, at: Status): Promise<void> {
    const query = `status=${at}&populate=*&pagination[pageSize]=100`
    const answer = await this.#send('GET', `${contentPath(type)}?${query}`)
    const isPermitted = this.#mayRead(type, 'find', at)
    expect(answer.status, answer.text).to.equal(isPermitted ? 200 : 403)
    if (!isPermitted) return
    const shown = answer.body.data.map(({ documentId }: Json) => documentId)
    const expected = this.#idsOf(type).filter((id) => this.#isShown(type, id, at, 'find'))
    expect(shown, `${type} ${at}`).to.have.members(expected)
  }

  async #document(type: TypeName, documentId: string): Promise<void> {
    const path = contentPath(type)
    for (const at of this.#statusesOf(type)) {
      const ask = (id: string): Promise<Answer> =>
        this.#send('GET', `${path}/${id}?status=${at}&populate=*`)
      const answer = await ask(documentId)
      const isPermitted = this.#mayRead(type, 'findOne', at)
      const isShown = isPermitted && this.#isShown(type, documentId, at, 'findOne')
      expect(answer.status, `${at} ${answer.text}`).to.equal(
        !isPermitted ? 403 : isShown ? 200 : 404,
      )
      if (!isShown) expect(unnamed(answer)).to.deep.equal(unnamed(await ask(MISSING)))
    }
    const isHidden = !this.#statusesOf(type).some((at) =>
      (['find', 'findOne'] as const).some((verb) => this.#isShown(type, documentId, at, verb)),
    )
    const history = `/admin/history/${uidOf(type)}`
    // Without a rule of `find`, links show the id of a draft as of a missing document.
    const isLinked = this.#reader.rights[`${type}.find`] === 'always'
    const doors = [
      ...(isLinked ? [] : ([['GET', (id: string) => `${path}/${id}/usages`]] as const)),
      ['GET', (id: string) => `${path}/${id}/locales`],
      ['POST', (id: string) => `${path}/${id}/check`],
      ['GET', (id: string) => `${history}/${id}`],
      ['GET', (id: string) => `${history}/${id}?changes=true`],
    ] as const
    for (const [method, pathFor] of doors) {
      const answer = await this.#send(method, pathFor(documentId))
      if (isHidden) {
        const missing = await this.#send(method, pathFor(MISSING))
        expect(unnamed(answer), pathFor(documentId)).to.deep.equal(unnamed(missing))
      }
    }
    await this.#usages(`${path}/${documentId}/usages`)
    await this.#history(type, `${history}/${documentId}`)
  }

  /** Entries that link to a document are visible ones. */
  async #usages(path: string): Promise<void> {
    const answer = await this.#send('GET', path)
    if (answer.status !== 200) return
    for (const { uid, documentId } of answer.body.data as readonly Json[]) {
      const type = TYPES.find((name) => uidOf(name) === uid)
      const isShown =
        type !== undefined && STATUSES.some((at) => this.#isShown(type, documentId, at, 'find'))
      expect(isShown, `${path}: ${answer.text}`).to.equal(true)
    }
  }

  async #history(type: TypeName, path: string): Promise<void> {
    const answer = await this.#send('GET', path)
    if (answer.status !== 200) return
    const revisions = answer.body.data.map(({ revision }: Json) => revision)
    for (const revision of revisions) {
      const one = await this.#send('GET', `${path}/${revision}`)
      expect(one.status, `${type} ${one.text}`).to.equal(200)
    }
    const [newest, oldest] = [revisions[0], revisions.at(-1)]
    if (newest !== oldest) await this.#send('GET', `${path}/diff?from=${oldest}&to=${newest}`)
  }

  /** Lists deletions of documents only of which every version was visible. */
  async #trash(): Promise<void> {
    const { server } = this.#served
    for (const type of TYPES) {
      for (const id of this.#idsOf(type)) {
        const { status, text } = await server.send('DELETE', `${pathOf(type)}/${id}`)
        expect(status, text).to.equal(204)
      }
    }
    await server.settled()
    const answer = await this.#send('GET', '/admin/trash?pagination[pageSize]=100')
    expect(answer.status, answer.text).to.equal(200)
    for (const { uid, documentId } of answer.body.data as readonly Json[]) {
      const type = TYPES.find((name) => uidOf(name) === uid)
      const isShown =
        type !== undefined &&
        this.#versionsOf(type, documentId).every(({ status }) =>
          this.#isShown(type, documentId, status, 'find'),
        )
      expect(isShown, `${uid} ${documentId}`).to.equal(true)
    }
  }

  #statusesOf(type: TypeName): readonly Status[] {
    return this.#served.dump.withDrafts.has(type) ? STATUSES : ['published']
  }

  #versionsOf(type: TypeName, documentId: string): readonly Version[] {
    const { versions } = this.#served.dump
    return versions.filter((one) => one.type === type && one.documentId === documentId)
  }

  #idsOf(type: TypeName): readonly string[] {
    const versions = this.#served.dump.versions.filter((one) => one.type === type)
    return [...new Set(versions.map(({ documentId }) => documentId))]
  }

  #mayRead(type: TypeName, verb: 'find' | 'findOne', at: Status): boolean {
    const { rights } = this.#reader
    const isDraft = at === 'draft' && this.#served.dump.withDrafts.has(type)
    return `${type}.${verb}` in rights && (!isDraft || `${type}.readDrafts` in rights)
  }

  #isShown(type: TypeName, documentId: string, at: Status, verb: 'find' | 'findOne'): boolean {
    const view = { dump: this.#served.dump, at, reader: this.#reader }
    const version = this.#versionsOf(type, documentId).find(({ status }) => status === at)
    return version !== undefined && isVisible(view, version, verb)
  }

  async #send(method: string, target: string): Promise<Answer> {
    const answer = await this.#editor.send(method, target, method === 'POST' ? {} : undefined)
    this.#count(target.split(/[/?]/)[2] ?? '', answer.status)
    const seen = [answer.text, JSON.stringify(answer.headers)]
    const shown = seen.flatMap((text) => text.match(CANARY) ?? [])
    const leaked = shown.filter((one) => !this.#allowed.has(one))
    const rights = JSON.stringify(this.#reader.rights)
    expect(leaked, `${method} ${target}\n${answer.text.slice(0, 2_000)}\n${rights}`).to.deep.equal(
      [],
    )
    return answer
  }

  #count(door: string, status: number): void {
    const key = `${door} ${status}`
    this.counts[key] = (this.counts[key] ?? 0) + 1
  }
}

const contentPath = (type: TypeName): string => `/admin/content/${uidOf(type)}`

const unnamed = ({ status, text }: Answer): readonly unknown[] => [
  status,
  text.replaceAll(/[a-z0-9]{24}/g, '<id>'),
]

/** Publishing wrote each published version as a draft as well, which the history has. */
function withPast(dump: Dump): Dump {
  const past = dump.versions.filter(
    ({ type, status }) => status === 'published' && dump.withDrafts.has(type),
  )
  const drafts = past.map((version): Version => ({ ...version, status: 'draft' }))
  return { ...dump, versions: [...dump.versions, ...drafts] }
}
