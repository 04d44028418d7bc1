import { expect } from 'chai'
import { Device } from '../../../support/push-world.ts'
import type { Json } from '../../../support/server.ts'
import type { Dump, Version } from './dump.ts'
import { type ServedWrites, type WritingPrincipal, writtenPath } from './serve-writes.ts'
import { changesBetween, permitsWrite } from './write-rules.ts'
import type { GivenChange, PushProbe, WriteProbe } from './write-world.ts'
import { documentsOf, listOf, payloadOf, settle } from './writer.ts'

interface Pushed {
  readonly probe: WriteProbe
  readonly mutation: Json
  readonly outcome: Json
}

/**
 * Pushes random mutations of one type, and compares each stored change with an interpreter of the rules. No rule of the
 * worlds reads another entry of the same type, so that each entry can be compared alone.
 */
export class RulePusher {
  readonly #served: ServedWrites
  readonly #devices = new Map<string, Device>()
  #dump: Dump | null = null
  /** Mutations by operation and outcome, so that a test can require that they reach all of them. */
  readonly counts: Record<string, number> = {}

  constructor(served: ServedWrites) {
    this.#served = served
  }

  async send({ principal: at, status, writes }: PushProbe): Promise<void> {
    const signedIn = this.#served.principals.filter(({ documentId }) => documentId !== undefined)
    const principal = signedIn[at % signedIn.length]
    if (principal === undefined) throw new Error('no such principal')
    const before = await settle(this.#served, this.#dump)
    const device = this.#deviceOf(principal, status)
    const mutations: Json[] = []
    for (const [index, probe] of writes.entries()) {
      const id = device.newId(device.last + 1 + index)
      mutations.push(await this.#mutationOf(before, principal, { probe, status, id }))
    }
    const outcomes = await device.push(...mutations)
    this.#dump = await this.#served.dump()
    const pushed = outcomes.map((outcome, index): Pushed => {
      const [probe, mutation] = [writes[index], mutations[index]]
      if (probe === undefined || mutation === undefined) throw new Error('a surplus outcome')
      this.#count(`${mutation.op} ${outcome.error?.status ?? outcome.outcome}`)
      return { probe, mutation, outcome }
    })
    try {
      this.#compare(principal, status, pushed, { before, after: this.#dump })
    } catch (error) {
      const shown = JSON.stringify({ principal: principal.name, status, pushed })
      const changes = JSON.stringify(changesBetween(before, this.#dump))
      const message = `${String(error)}\n${shown}\n${JSON.stringify(principal.rights)}\n${changes}`
      throw new Error(message, { cause: error })
    }
  }

  #compare(
    principal: WritingPrincipal,
    status: PushProbe['status'],
    pushed: readonly Pushed[],
    { before, after }: { readonly before: Dump; readonly after: Dump },
  ): void {
    const stored = pushed.filter(
      ({ outcome }) => ['applied', 'merged'].includes(outcome.outcome) && outcome.changed !== false,
    )
    for (const { probe, mutation } of stored) {
      if (probe.type !== 'page' || status === 'draft') continue
      expect(principal.rights['page.publish'], `${mutation.op} publishes`).not.to.equal(undefined)
    }
    const changed = changesBetween(before, after).flatMap(({ was, is }) => was ?? is ?? [])
    for (const { type, documentId } of changed) {
      const isOwn = (one: Version): boolean => one.type === type && one.documentId === documentId
      const others = after.versions.filter((one) => !isOwn(one))
      const alone = { ...after, versions: [...others, ...before.versions.filter(isOwn)] }
      const states = { before: alone, after, reader: principal, stamped: this.#served.stamped }
      const own = stored.filter(({ mutation }) => mutation.documentId === documentId)
      const isPermitted = (own.length > 0 ? own : stored).some(({ probe, mutation }) => {
        const given = Object.keys(mutation.patch ?? {})
        const attempt = {
          type: probe.type,
          documentId: mutation.documentId,
          verb: mutation.op,
          given,
        }
        const right = principal.rights[`${probe.type}.${mutation.op}`] ?? []
        const rules = right === 'always' ? (['always'] as const) : right
        return rules.some((rule) => permitsWrite(states, attempt, rule))
      })
      expect(isPermitted, `a forbidden change of ${type} ${documentId}`).to.equal(true)
      if (own.length === 0) this.#count('others')
    }
  }

  async #mutationOf(
    dump: Dump,
    { token }: WritingPrincipal,
    { probe, status, id }: { probe: WriteProbe; status: PushProbe['status']; id: string },
  ): Promise<Json> {
    const { type, verb, at } = probe
    const patch = Object.fromEntries(
      Object.entries(probe.changes).map(([name, change]) => [
        name,
        operationOf(verb, change, payloadOf(dump, this.#served.users, change)),
      ]),
    )
    if (verb === 'create') return { op: 'create', type, documentId: id, patch }
    const ids = documentsOf(dump, type)
    const documentId = ids[at % ids.length] ?? ''
    const read = `${writtenPath(type)}/${documentId}?status=${status}`
    if (verb !== 'delete') {
      const { server } = this.#served
      const shown = (await server.get(`${read}&populate=*`, { token })).body.data ?? {}
      const seen = Object.keys(patch).map((name) => [name, seenValue(shown[name])])
      const base = 'another'
      return { op: 'update', type, documentId, base, patch, seen: Object.fromEntries(seen) }
    }
    const { headers } = await this.#served.server.get(read)
    const base = /^"(\w+)/.exec(String(headers['etag']))?.[1] ?? 'another'
    return { op: 'delete', type, documentId, base }
  }

  #deviceOf(principal: WritingPrincipal, status: PushProbe['status']): Device {
    const { name, token, documentId = '' } = principal
    const key = `client-of-${name}-${status}`
    const member = { documentId, token: token ?? '' }
    const device = this.#devices.get(key) ?? new Device(this.#served.server, member, key, status)
    this.#devices.set(key, device)
    return device
  }

  #count(key: string): void {
    this.counts[key] = (this.counts[key] ?? 0) + 1
  }
}

/** A creation only sets. */
function operationOf(verb: WriteProbe['verb'], change: GivenChange, payload: unknown): object {
  if (change.kind !== 'list' || change.way === 'set') return { set: payload }
  const ids = listOf(payload)
  if (verb === 'create') return { set: ids }
  if (change.way === 'disconnect') return { disconnect: ids }
  return { connect: ids.map((documentId) => ({ documentId })) }
}

/** As in sync rows: relations are documentIds. */
function seenValue(shown: Json): unknown {
  if (Array.isArray(shown)) return shown.map(({ documentId }) => documentId)
  return shown?.documentId ?? shown ?? null
}
