import { isDeepStrictEqual } from 'node:util'
import { expect } from 'chai'
import type { Answer } from '../../../support/server.ts'
import { type Dump, follow, idsBehind, type Version } from './dump.ts'
import { isMatch } from './oracle.ts'
import { type ServedWrites, type WritingPrincipal, writtenPath } from './serve-writes.ts'
import { type Attempt, changesBetween, permitsWrite, type WriteRule } from './write-rules.ts'
import { type GivenChange, isMove, type WriteProbe, WRITTEN_TYPES } from './write-world.ts'

const MIN_SIZE = 3
const MAX_SIZE = 7

interface Request {
  readonly probe: WriteProbe
  readonly principal: WritingPrincipal
  readonly attempt: Attempt
  readonly data: Readonly<Record<string, unknown>>
}

/** Sends random writes and compares each response with an interpreter of the rules (`write-rules.ts`). */
export class RuleWriter {
  readonly #served: ServedWrites
  #dump: Dump | null = null
  /** Writes by verb and status, so that a test can require that they reach all of them. */
  readonly counts: Record<string, number> = {}

  constructor(served: ServedWrites) {
    this.#served = served
  }

  async send(probe: WriteProbe): Promise<void> {
    const principal = this.#served.principals[probe.principal]
    if (principal === undefined) throw new Error('no such principal')
    const before = await this.#settled()
    const documentId =
      probe.verb === 'create'
        ? ''
        : (documentsOf(before, probe.type)[probe.at % documentsOf(before, probe.type).length] ?? '')
    const data = Object.fromEntries(
      Object.entries(probe.changes).map(([name, change]) => [
        name,
        payloadOf(before, this.#served.users, change),
      ]),
    )
    const verb = verbOf(probe.verb)
    const attempt = {
      type: probe.type,
      documentId,
      verb,
      given: hasPayload(probe) ? Object.keys(data) : [],
    }
    const request = { probe, principal, attempt, data }
    const answer = await this.#send(request, principal.token, data)
    this.#count(`${probe.verb} ${answer.status}`)
    if (isMove(probe)) this.#count('moves')
    this.#dump = await this.#served.dump()
    try {
      await this.#compare(request, answer, before, this.#dump)
    } catch (error) {
      const shown = {
        principal: principal.name,
        probe,
        documentId,
        data,
        answer: [answer.status, answer.text],
      }
      const rights = JSON.stringify(principal.rights)
      const was = JSON.stringify(changesBetween(before, this.#dump))
      const message = `${String(error)}\n${JSON.stringify(shown)}\n${rights}\n${was}`
      throw new Error(message, { cause: error })
    }
  }

  async #compare(request: Request, answer: Answer, before: Dump, after: Dump): Promise<void> {
    const { status } = answer
    const changes = changesBetween(before, after)
    const isHidden = this.#isHidden(request, before)
    const namesHidden = this.#namesHidden(request, before)
    if (status >= 300) expect(changes, 'a refused write changes nothing').to.deep.equal([])
    if (status === 404) return void expect(isHidden, '404 for a visible entry').to.equal(true)
    if (status === 400) {
      return void expect(namesHidden || hasNothingToDiscard(request, before), answer.text).to.equal(
        true,
      )
    }
    if (status === 403) return this.#assertRefused(request, before, { isHidden, namesHidden })
    expect(status, answer.text).to.be.oneOf([200, 201, 204])
    if (request.probe.verb === 'delete' && changes.length === 0) {
      return void expect(isHidden, 'an ignored deletion of a visible entry').to.equal(true)
    }
    expect(isHidden, 'a write of a hidden entry').to.equal(false)
    expect(namesHidden, 'a hidden target').to.equal(false)
    this.#assertPermitted(request, answer, before, after)
  }

  #assertPermitted(request: Request, answer: Answer, before: Dump, after: Dump): void {
    const attempt = madeBy(request, answer.body?.data?.documentId)
    const changes = changesBetween(before, after)
    const isOther = ({ documentId }: Version): boolean => documentId !== attempt.documentId
    if (changes.some(({ was, is }) => [was ?? is ?? []].flat().some(isOther))) this.#count('others')
    const states = this.#states(request, before, after)
    const isPermitted = rightsTo(request).some((rule) => permitsWrite(states, attempt, rule))
    expect(isPermitted, `a forbidden write: ${JSON.stringify(changes)}`).to.equal(true)
    this.#assertKept(request, before, after)
    this.#assertShown(request, attempt, answer, after)
  }

  #states({ principal: reader }: Request, before: Dump, after: Dump) {
    return { before, after, reader, stamped: this.#served.stamped }
  }

  /** Root repeats the write with the values of one permission. No permission with these values may permit the result. */
  async #assertRefused(
    request: Request,
    before: Dump,
    { isHidden, namesHidden }: { readonly isHidden: boolean; readonly namesHidden: boolean },
  ): Promise<void> {
    if (namesHidden || isHidden) return
    const rights = rightsTo(request)
    const chosen = rights[(this.counts['repeated'] ?? 0) % Math.max(1, rights.length)]
    if (chosen === undefined) return
    const stamps = Object.entries(setOf(chosen)).map(([name, value]) => {
      const operand = request.principal.operands[String(value)] ?? [value]
      return [name, operand[0]]
    })
    const data = { ...this.#keepHidden(request, before), ...Object.fromEntries(stamps) }
    const answer = await this.#send(request, undefined, data)
    this.#count(`repeated ${answer.status < 300}`)
    this.#count('repeated')
    if (answer.status >= 300) return
    const after = await this.#served.dump()
    this.#dump = after
    const attempt = madeBy(request, answer.body?.data?.documentId)
    for (const rule of rights) {
      if (!isDeepStrictEqual(setOf(rule), setOf(chosen))) continue
      const isPermitted = permitsWrite(this.#states(request, before, after), attempt, rule)
      expect(isPermitted, `a refused write is permitted by ${JSON.stringify(rule)}`).to.equal(false)
    }
  }

  /** The payload of root, with the hidden targets that the principal keeps. */
  #keepHidden({ probe, principal, data, attempt }: Request, dump: Dump): Request['data'] {
    const entries = Object.entries(probe.changes).map(([name, change]) => {
      if (change.kind !== 'list') return [name, data[name]]
      const list = listOf(data[name])
      if (change.way === 'disconnect') {
        const shown = list.filter((id) => !this.#isHiddenTarget(principal, dump, change.target, id))
        return [name, { disconnect: shown }]
      }
      if (change.way === 'connect') return [name, data[name]]
      const own = dump.versions.find((one) => one.documentId === attempt.documentId)
      const held = own === undefined ? [] : idsBehind(dump, own, name, own.status)
      const hidden = held.filter((id) => this.#isHiddenTarget(principal, dump, change.target, id))
      return [name, [...list, ...hidden.filter((id) => !list.includes(id))]]
    })
    return Object.fromEntries(entries)
  }

  #assertKept({ probe, principal, attempt }: Request, before: Dump, after: Dump): void {
    for (const [name, change] of Object.entries(probe.changes)) {
      if (change.kind !== 'list' || !hasPayload(probe)) continue
      for (const was of before.versions.filter((one) => one.documentId === attempt.documentId)) {
        const is = after.versions.find(
          (one) => one.documentId === was.documentId && one.status === was.status,
        )
        if (is === undefined || was.values['revision'] === is.values['revision']) continue
        const hidden = follow(before, was, name, was.status)
          .map(({ documentId }) => documentId)
          .filter((id) => this.#isHiddenTarget(principal, before, change.target, id))
        expect(
          idsBehind(after, is, name, is.status),
          `hidden targets of ${name}`,
        ).to.include.members(hidden)
      }
    }
  }

  /** The response shows the entry to principals that may read it, and else its documentId only. */
  #assertShown({ principal, probe }: Request, attempt: Attempt, answer: Answer, after: Dump): void {
    if (answer.status === 204) return
    const data = Array.isArray(answer.body.data) ? answer.body.data[0] : answer.body.data
    const keys = Object.keys(data ?? {})
    const status = shownStatus(probe)
    const shown = after.versions.find(
      (one) =>
        one.type === probe.type && one.documentId === attempt.documentId && one.status === status,
    )
    if (shown === undefined || this.#isShown(principal, after, shown, 'findOne')) return
    const isRuled = this.#readsUnderRules(principal, attempt)
    if (isRuled) expect(keys, answer.text).to.deep.equal(['documentId'])
  }

  #isShown(principal: WritingPrincipal, dump: Dump, version: Version, verb: string): boolean {
    const verbs =
      version.type === 'page' && version.status === 'draft' ? [verb, 'readDrafts'] : [verb]
    return verbs.every((one) => {
      const right = principal.rights[`${version.type}.${one}`] ?? []
      if (right === 'always') return true
      return right.some(({ where = {} }) =>
        isMatch({ dump, at: 'published', reader: principal }, where, version),
      )
    })
  }

  #readsUnderRules({ rights }: WritingPrincipal, { type, verb }: Attempt): boolean {
    const isRuled = (name: string): boolean => Array.isArray(rights[`${type}.${name}`])
    return rights[`${type}.${verb}`] !== 'always' || isRuled('findOne') || isRuled('readDrafts')
  }

  #isHidden({ principal, attempt }: Request, dump: Dump): boolean {
    const stored = dump.versions.filter(
      ({ type, documentId }) => type === attempt.type && documentId === attempt.documentId,
    )
    if (attempt.verb === 'create') return false
    if (stored.length === 0) return true
    if (!this.#readsUnderRules(principal, attempt)) return false
    return !stored.some((one) => this.#isShown(principal, dump, one, 'findOne'))
  }

  #isHiddenTarget(principal: WritingPrincipal, dump: Dump, target: string, id: string): boolean {
    if (target === 'user') return false
    const { rights } = principal
    const right = rights[`${target}.find`]
    if (right === undefined) return true
    const isRuled =
      right !== 'always' || (target === 'page' && Array.isArray(rights['page.readDrafts']))
    if (!isRuled) return false
    const stored = dump.versions.filter(
      ({ type, documentId }) => type === target && documentId === id,
    )
    return stored.length > 0 && !stored.some((one) => this.#isShown(principal, dump, one, 'find'))
  }

  #namesHidden({ probe, principal, data }: Request, dump: Dump): boolean {
    if (!hasPayload(probe)) return false
    return Object.entries(probe.changes).some(([name, change]) => {
      if (change.kind === 'value') return false
      if (change.kind === 'list' && change.way !== 'set' && change.at.length === 0) return false
      // A type without `find` refuses the whole attribute.
      if (change.target !== 'user' && principal.rights[`${change.target}.find`] === undefined)
        return true
      if (change.kind === 'list' && change.way === 'disconnect') return false
      return listOf(data[name]).some((id) =>
        this.#isHiddenTarget(principal, dump, change.target, id),
      )
    })
  }

  /** Undefined stands for the token of root. */
  async #send(
    { probe, attempt }: Request,
    token: string | null | undefined,
    data: object,
  ): Promise<Answer> {
    const { type, verb } = probe
    const { server } = this.#served
    const own = token === undefined ? {} : { token }
    const query = type === 'page' && hasPayload(probe) ? `?status=${probe.status}` : ''
    const entry = `${writtenPath(type)}/${attempt.documentId}`
    switch (verb) {
      case 'create':
        return server.send('POST', `${writtenPath(type)}${query}`, { ...own, body: { data } })
      case 'update':
        return server.send('PUT', `${entry}${query}`, { ...own, body: { data } })
      case 'delete':
        return server.send('DELETE', entry, own)
      case 'publish':
      case 'unpublish':
      case 'discard':
        return server.send('POST', `${entry}/actions/${verb}`, own)
    }
  }

  async #settled(): Promise<Dump> {
    this.#dump = await settle(this.#served, this.#dump)
    return this.#dump
  }

  #count(key: string): void {
    this.counts[key] = (this.counts[key] ?? 0) + 1
  }
}

/** Keeps the number of documents of each type within bounds. */
export async function settle(served: ServedWrites, known: Dump | null): Promise<Dump> {
  const { server, users } = served
  const dump = known ?? (await served.dump())
  let isChanged = false
  for (const type of WRITTEN_TYPES) {
    const ids = documentsOf(dump, type)
    const added = Array.from({ length: Math.max(0, MIN_SIZE - ids.length) })
    for (const [at] of added.entries()) {
      const data = { rank: at, word: 'ape', owner: users[at % users.length] }
      const { status, text } = await server.send('POST', writtenPath(type), { body: { data } })
      expect(status, text).to.equal(201)
    }
    const surplus = ids.slice(MAX_SIZE)
    for (const id of surplus) await server.send('DELETE', `${writtenPath(type)}/${id}`)
    isChanged ||= added.length + surplus.length > 0
  }
  return isChanged ? served.dump() : dump
}

const setOf = (rule: WriteRule | 'always'): object => (rule === 'always' ? {} : (rule.set ?? {}))

const verbOf = (verb: WriteProbe['verb']): string =>
  verb === 'unpublish' ? 'publish' : verb === 'discard' ? 'update' : verb

const hasNothingToDiscard = ({ probe, attempt }: Request, { versions }: Dump): boolean =>
  probe.verb === 'discard' &&
  !versions.some((one) => one.documentId === attempt.documentId && one.status === 'published')

const hasPayload = ({ verb }: WriteProbe): boolean => verb === 'create' || verb === 'update'

function shownStatus({ type, verb, status }: WriteProbe): string {
  if (type !== 'page') return 'published'
  if (verb === 'publish') return 'published'
  return verb === 'unpublish' || verb === 'discard' ? 'draft' : status
}

const rightsTo = ({ principal, attempt }: Request): readonly (WriteRule | 'always')[] => {
  const right = principal.rights[`${attempt.type}.${attempt.verb}`] ?? []
  return right === 'always' ? ['always'] : right
}

const madeBy = ({ attempt }: Request, documentId: unknown): Attempt =>
  attempt.verb === 'create' ? { ...attempt, documentId: String(documentId) } : attempt

export function documentsOf({ versions }: Dump, type: string): readonly string[] {
  return [
    ...new Set(versions.filter((one) => one.type === type).map(({ documentId }) => documentId)),
  ]
}

export function payloadOf(dump: Dump, users: readonly string[], change: GivenChange): unknown {
  if (change.kind === 'value') return change.value
  const ids = change.target === 'user' ? users : documentsOf(dump, change.target)
  const idAt = (at: number): string => ids[at % ids.length] ?? ''
  if (change.kind === 'one') return change.at === null ? null : idAt(change.at)
  const list = [...new Set(change.at.map(idAt))]
  return change.way === 'set' ? list : { [change.way]: list }
}

export function listOf(given: unknown): readonly string[] {
  if (given === null || given === undefined) return []
  if (typeof given === 'object' && !Array.isArray(given))
    return Object.values(given).flat().map(String)
  return [given].flat().map(String)
}
