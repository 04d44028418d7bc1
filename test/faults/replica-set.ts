import { MongoClient, MongoServerError } from 'mongodb'

/** A replica set that this test may disturb. */
export interface ReplicaSet {
  /** The number of members with data. */
  readonly members: number
  /**
   * Makes the primary a secondary that cannot be elected for this time. False if that is not
   * permitted.
   */
  stepDown(seconds: number): Promise<boolean>
  /** Stops the replication of all secondaries. Returns the function that resumes it. */
  pauseSecondaries(): Promise<() => Promise<void>>
  close(): Promise<void>
}

/** Codes of a command that is not permitted, not known to the host or not supported. */
const REFUSALS: ReadonlySet<unknown> = new Set([13, 59, 115, 8000])

/** Null if `uri` names no replica set: a standalone, a sharded cluster or another engine. */
export async function openReplicaSet(uri: string): Promise<ReplicaSet | null> {
  const client = await MongoClient.connect(uri, { serverSelectionTimeoutMS: 5_000 })
  const hello = await client.db('admin').command({ hello: 1 })
  const name: unknown = hello['setName']
  if (typeof name !== 'string' || name === 'embedded') {
    await client.close()
    return null
  }
  // Passive members never become primary, but hold the data.
  const hosts = [hello['hosts'], hello['passives'] ?? []].flat() as readonly string[]
  return {
    members: hosts.length,
    stepDown: async (seconds) => {
      const command = { replSetStepDown: seconds, secondaryCatchUpPeriodSecs: 1, force: true }
      try {
        await client.db('admin').command(command)
      } catch (error) {
        if (error instanceof MongoServerError && REFUSALS.has(error.code)) return false
        // Servers before 4.2 close every connection, including that of the command.
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
      // Through the connections that locked: a locked member may accept no new connection.
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

/** The same credentials and options for a single member. */
function atHost(uri: string, host: string): string {
  const parts = /^mongodb(\+srv)?:\/\/(?:([^@/]*@))?[^/?]*\/?([^?]*)\??(.*)$/.exec(uri)
  const [, srv, login = '', database = '', query = ''] = parts ?? []
  const options = new URLSearchParams(query)
  options.delete('replicaSet')
  options.set('directConnection', 'true')
  if (srv !== undefined && !options.has('tls')) options.set('tls', 'true')
  return `mongodb://${login}${host}/${database}?${options.toString()}`
}
