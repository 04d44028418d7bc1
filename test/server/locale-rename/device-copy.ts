import { expect } from 'chai'
import type { Json, TestServer } from '../../support/server.ts'

/** The rows of a device that syncs articles. */
export interface DeviceCopy {
  readonly scope: string
  readonly rows: Map<string, string>
  token: string | null
}

/** `scope` is the part of the query after the types. */
export async function openDevice(server: TestServer, scope: string): Promise<DeviceCopy> {
  const device: DeviceCopy = { scope, rows: new Map(), token: null }
  await follow(server, device)
  return device
}

/** The device continues with its token, and then has the rows of a new device. */
export async function expectFresh(server: TestServer, device: DeviceCopy): Promise<void> {
  await follow(server, device)
  const fresh = await openDevice(server, device.scope)
  expect(fresh.rows.size, device.scope).to.be.greaterThan(0)
  expect(Object.fromEntries(device.rows), device.scope).to.deep.equal(
    Object.fromEntries(fresh.rows),
  )
}

async function follow(server: TestServer, device: DeviceCopy): Promise<void> {
  for (;;) {
    const { token, scope } = device
    const query = token === null ? `types=article${scope}` : `token=${token}`
    const { status, text, body } = await server.get(`/api/_sync?${query}`)
    expect(status, text).to.equal(200)
    for (const item of body.items as readonly Json[]) apply(device, item)
    device.token = body.next
    if (body.more === false) return
  }
}

function apply({ rows }: DeviceCopy, { op, documentId, locale, data }: Json): void {
  if (op === 'put') rows.set(`${locale} ${documentId}`, JSON.stringify(data))
  else if (op === 'delete') rows.delete(`${locale} ${documentId}`)
  else {
    const meant = [...rows.keys()].filter((key) => key.startsWith(`${locale ?? ''} `))
    for (const key of locale === undefined ? [...rows.keys()] : meant) rows.delete(key)
  }
}
