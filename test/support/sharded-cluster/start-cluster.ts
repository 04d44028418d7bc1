import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { freePort } from '../../../src/server/deployment/launch-mongod.ts'
import type { Binaries } from './find-binaries.ts'
import { type ClusterServer, startClusterServer } from './server.ts'

export interface Cluster {
  readonly uri: string
  stop(): Promise<void>
}

export interface ClusterOptions {
  readonly binaries: Binaries
  /** For data and logs. */
  readonly folder: string
  readonly signal: AbortSignal
  readonly say: (line: string) => void
}

const SHARDS = ['shard1', 'shard2'] as const

/**
 * Starts a sharded cluster on loopback: a config server and two shards, each a replica set of one,
 * and a mongos.
 * @throws Error if a server does not become ready. All servers are stopped then.
 */
export async function startCluster(options: ClusterOptions): Promise<Cluster> {
  const servers: ClusterServer[] = []
  const stop = async (): Promise<void> => {
    // In reverse order: the mongos first.
    for (const server of servers.splice(0).toReversed()) await server.stop()
  }
  try {
    const config = await startSet(options, servers, 'config', '--configsvr')
    for (const name of SHARDS) await startSet(options, servers, name, '--shardsvr')
    const router = await startRouter(options, servers, config)
    for (const shard of servers.filter(({ name }) => SHARDS.some((each) => each === name))) {
      await router.command({ addShard: `${shard.name}/${shard.address}` })
    }
    // The balancer would move chunks that tests place.
    await router.command({ balancerStop: 1 })
    return { uri: `mongodb://${router.address}/`, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function startSet(
  { binaries, folder, signal, say }: ClusterOptions,
  servers: ClusterServer[],
  name: string,
  role: '--configsvr' | '--shardsvr',
): Promise<ClusterServer> {
  const dbPath = path.join(folder, name)
  mkdirSync(dbPath)
  const port = await freePort(undefined)
  const args = [role, '--replSet', name, '--dbpath', dbPath]
  const logFile = path.join(folder, `${name}.log`)
  const server = startClusterServer({ name, binary: binaries.mongod, args, port, logFile, signal })
  servers.push(server)
  await server.until(() => true)
  const members = [{ _id: 0, host: server.address }]
  const isConfig = role === '--configsvr'
  await server.command({
    replSetInitiate: { _id: name, ...(isConfig && { configsvr: true }), members },
  })
  await server.until((hello) => hello['isWritablePrimary'] === true)
  say(`${name} is at ${server.address}`)
  return server
}

async function startRouter(
  { binaries, folder, signal, say }: ClusterOptions,
  servers: ClusterServer[],
  config: ClusterServer,
): Promise<ClusterServer> {
  const server = startClusterServer({
    name: 'mongos',
    binary: binaries.mongos,
    args: ['--configdb', `${config.name}/${config.address}`],
    port: await freePort(undefined),
    logFile: path.join(folder, 'mongos.log'),
    signal,
  })
  servers.push(server)
  await server.until((hello) => hello['msg'] === 'isdbgrid')
  say(`mongos is at ${server.address}`)
  return server
}
