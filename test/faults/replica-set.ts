import { MongoClient, MongoServerError } from 'mongodb'

/** A replica set that this test may disturb. */
export interface ReplicaSet {
  /** How many members hold data. */
  readonly members: number
  /** The primary becomes a secondary, and no candidate for so long. False where that is not permitted. */
  stepDown(seconds: number): Promise<boolean>
  /** No secondary takes in what is written, until what is answered is called. */
  pauseSecondaries(): Promise<() => Promise<void>>
  close(): Promise<void>
}

/** Not to run the command; a host that does not have it; one that is not told of here. */
const REFUSALS: ReadonlySet<unknown> = new Set([13, 59, 115, 8000])

/** Null where `uri` names none: a standalone, a sharded cluster, an engine of another make. */
export async function openReplicaSet(uri: string): Promise<ReplicaSet | null> {
  const client = await MongoClient.connect(uri, { serverSelectionTimeoutMS: 5_000 })
  const hello = await client.db('admin').command({ hello: 1 })
  const name: unknown = hello['setName']
  if (typeof name !== 'string' || name === 'embedded') {
    await client.close()
    return null
  }
  // Passive ones never become primary, and hold the data all the same.
  const hosts = [hello['hosts'], hello['passives'] ?? []].flat() as readonly string[]
  return {
    members: hosts.length,
    stepDown: async (seconds) => {
      const command = { replSetStepDown: seconds, secondaryCatchUpPeriodSecs: 1, force: true }
      try {
        await client.db('admin').command(command)
      } catch (error) {
        if (error instanceof MongoServerError && REFUSALS.has(error.code)) return false
        // Servers before 4.2 close every connection, that of the command too.
        if (error instanceof MongoServerError) throw error
      }
      return true
    },
    pauseSecondaries: async () => {
      const paused: MongoClient[] = []
      for (const host of hosts) {
        const member = await MongoClient.connect(atHost(uri, host))
        const { secondary } = await member.db('admin').command({ hello: 1 })
        if (secondary === true) await member.db('admin').command({ fsync: 1, lock: true })
        if (secondary === true) paused.push(member)
        else await member.close()
      }
      // By the connections that locked them: who is locked may be unable to let another in.
      return async () => {
        for (const member of paused) {
          await member.db('admin').command({ fsyncUnlock: 1 })
          await member.close()
        }
      }
    },
    close: () => client.close(),
  }
}

/** The same credentials and options, for one member by itself. */
function atHost(uri: string, host: string): string {
  const parts = /^mongodb(\+srv)?:\/\/(?:([^@/]*@))?[^/?]*\/?([^?]*)\??(.*)$/.exec(uri)
  const [, srv, login = '', database = '', query = ''] = parts ?? []
  const options = new URLSearchParams(query)
  options.delete('replicaSet')
  options.set('directConnection', 'true')
  if (srv !== undefined && !options.has('tls')) options.set('tls', 'true')
  return `mongodb://${login}${host}/${database}?${options.toString()}`
}
