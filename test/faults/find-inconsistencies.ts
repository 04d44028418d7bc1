import { type Db, MongoClient } from 'mongodb'

interface Stored {
  readonly base: string
  readonly token: string
  readonly uri: string
  readonly database: string
}

interface Version {
  readonly _id: string
  readonly key: string
}

/** Number of documents to check for a taken key. */
const SAMPLE = 20

/**
 * Finds stored data of the mixed load, at rest, that no series of complete writes can leave:
 * published versions without a draft, values with two reservations or with a reservation but no
 * owner, records of files without bytes.
 */
export async function findInconsistencies(stored: Stored): Promise<readonly string[]> {
  const client = await MongoClient.connect(stored.uri)
  try {
    const db = client.db(stored.database)
    return [
      ...(await halfVersions(db)),
      ...(await strayReservations(db)),
      ...(await placesOfKeys(stored, db)),
      ...(await filesWithoutBytes(stored)),
    ]
  } finally {
    await client.close()
  }
}

async function versionsOf(db: Db, name: string): Promise<readonly Version[]> {
  const names = (await db.listCollections({}, { nameOnly: true }).toArray()).map((one) => one.name)
  if (!names.includes(name)) throw new Error(`no collection ${name} among ${names.join()}`)
  return db.collection<Version>(name).find({}).toArray()
}

async function halfVersions(db: Db): Promise<readonly string[]> {
  const versions = await versionsOf(db, 'notes')
  const ids = new Set(versions.map(({ _id }) => _id))
  const published = versions.filter(({ _id }) => _id.endsWith(':published'))
  const keys = new Map<string, string>()
  const faults: string[] = []
  for (const { _id, key } of published) {
    const [documentId = '', locale = ''] = _id.split(':')
    if (!ids.has(`${documentId}:${locale}:draft`)) faults.push(`${_id} has no draft`)
    const other = keys.get(`${key} ${locale}`)
    if (other !== undefined) faults.push(`${key} is taken by ${other} and by ${_id}`)
    keys.set(`${key} ${locale}`, _id)
  }
  return faults
}

/** Each published version needs one reservation, and there must be no others. */
async function strayReservations(db: Db): Promise<readonly string[]> {
  const balance = new Map<string, number>()
  const add = (documentId: string, count: number): void => {
    balance.set(documentId, (balance.get(documentId) ?? 0) + count)
  }
  for (const { _id } of await versionsOf(db, 'notes')) {
    const [documentId = '', , status] = _id.split(':')
    if (status === 'published') add(documentId, -1)
  }
  const reservations = db.collection<{ readonly holder: string }>('quire_reservations').find()
  for await (const { holder } of reservations) add(holder.replace('notes:', ''), 1)
  return [...balance]
    .filter(([, count]) => count !== 0)
    .map(([documentId, count]) => `${documentId}: ${count} reservations too many`)
}

/** A taken key is refused. It is free again after its document is deleted. */
async function placesOfKeys({ base, token }: Stored, db: Db): Promise<readonly string[]> {
  const ask = async (method: string, path: string, data?: object): Promise<Response> =>
    fetch(base + path, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(data !== undefined && { body: JSON.stringify({ data }) }),
      signal: AbortSignal.timeout(30_000),
    })
  const faults: string[] = []
  const expected = async (what: string, status: number, asked: Promise<Response>) => {
    const answer = await asked
    if (answer.status !== status) faults.push(`${what}: ${answer.status} ${await answer.text()}`)
  }
  const published = (await versionsOf(db, 'notes')).filter(({ _id }) =>
    _id.endsWith(':en:published'),
  )
  for (const { _id, key } of published.slice(0, SAMPLE)) {
    const [documentId = ''] = _id.split(':')
    await expected(`${key}, taken`, 400, ask('POST', '/api/notes', { key }))
    await expected(`${key}, deleted`, 204, ask('DELETE', `/api/notes/${documentId}?locale=*`))
    await expected(`${key}, free`, 201, ask('POST', '/api/notes', { key }))
  }
  if (published.length === 0) faults.push('nothing was published')
  return faults
}

async function filesWithoutBytes({ base, token }: Stored): Promise<readonly string[]> {
  const faults: string[] = []
  for (let start = 0; ; start += 100) {
    const headers = { authorization: `Bearer ${token}` }
    const answer = await fetch(`${base}/api/upload/files?start=${start}&limit=100`, { headers })
    const files = (await answer.json()) as readonly { readonly url: string }[]
    for (const { url } of files) {
      const { status } = await fetch(new URL(url, base))
      if (status !== 200) faults.push(`${url} is recorded, and answers ${status}`)
    }
    if (files.length < 100) return faults
  }
}
