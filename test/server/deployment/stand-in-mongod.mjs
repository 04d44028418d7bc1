#!/usr/bin/env node
// Stands in for mongod where none can be had: takes its command line, answers what has to do with
// the replica set itself, and hands everything else to a deployment behind it:
//   STAND_IN_UPSTREAM   host:port, or the path of a socket
//   otherwise           the embedded engine, kept in the folder that --dbpath names
// STAND_IN makes it misbehave: exit | hang | hang-version | old | in-use-json
import fs from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { onMessages, read, reply } from './stand-in-wire.mjs'

const options = new Map()
for (let at = 2; at < process.argv.length; at += 1) {
  const [name, value] = [process.argv[at], process.argv[at + 1]]
  if (value === undefined || value.startsWith('--')) options.set(name, true)
  else options.set(name, process.argv[++at])
}
const mode = process.env.STAND_IN ?? ''

if (options.has('--version')) {
  if (mode === 'hang-version') setInterval(() => undefined, 1000)
  else say(`db version v${mode === 'old' ? '3.6.23' : '8.0.4'}\nBuild Info: {}`)
} else if (mode === 'exit') {
  process.stderr.write('stand-in: told to fail\n')
  process.exitCode = 14
} else if (mode === 'hang') {
  process.on('SIGINT', () => undefined)
  process.on('SIGTERM', () => undefined)
  setInterval(() => undefined, 1000)
} else if (mode === 'in-use-json') {
  const line = {
    msg: 'DBException in initAndListen, terminating',
    attr: { error: 'DBPathInUse: x' },
  }
  say(`${JSON.stringify({ msg: 'first' })}\n${JSON.stringify(line)}\n${JSON.stringify({})}`)
  process.exitCode = 100
} else {
  await serve()
}

function say(line) {
  process.stdout.write(`${line}\n`)
}

async function serve() {
  const port = Number(options.get('--port'))
  const directory = options.get('--dbpath')
  const lock = path.join(directory, 'mongod.lock')
  if (isHeld(lock)) {
    const error = `DBPathInUse: Unable to lock the lock file: ${lock}`
    const line = { msg: 'DBException in initAndListen, terminating', attr: { error } }
    say(`${JSON.stringify({ msg: 'starting' })}\n${JSON.stringify(line)}`)
    process.exit(100)
  }
  fs.writeFileSync(lock, `${process.pid}\n`)
  const set = replicaSet(path.join(directory, 'stand-in-set.json'), port)
  const upstream = await findUpstream(directory)
  const stop = async () => {
    await upstream.close()
    fs.writeFileSync(lock, '')
    process.exit(0)
  }
  const server = net.createServer((socket) => {
    talk(socket, set, upstream, stop)
  })
  server.listen(port, '127.0.0.1', () => {
    say(JSON.stringify({ msg: 'Waiting for connections', attr: { port } }))
  })
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
}

function isHeld(lock) {
  try {
    const pid = Number(fs.readFileSync(lock, 'utf8'))
    process.kill(pid, 0)
    return pid > 0 && fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('stand-in-mongod')
  } catch {
    return false
  }
}

async function findUpstream(directory) {
  const given = process.env.STAND_IN_UPSTREAM
  if (given) {
    const [host, port] = given.split(':')
    return {
      connect: () => (port ? net.connect(Number(port), host) : net.connect(given)),
      close() {},
    }
  }
  const engine = '@quire/engine'
  if (!fs.existsSync(engine)) return { connect: () => null, close() {} }
  const { uri, close } = await startEngine(engine, path.join(directory, 'engine'))
  if (uri === undefined) return { connect: () => null, close() {} }
  const place = decodeURIComponent(/\/\/([^/?]*)/.exec(uri)[1])
  const [host, port] = place.split(':')
  return {
    connect: () => (place.startsWith('/') ? net.connect(place) : net.connect(Number(port), host)),
    close,
  }
}

async function startEngine(engine, directory) {
  try {
    const { startEmbedded } = await import(engine)
    return await startEmbedded({ directory })
  } catch (error) {
    process.stderr.write(`stand-in: no engine behind: ${error.message}\n`)
    return {}
  }
}

/** The state of a set of one: not initiated, primary, or removed when its stored host is another. */
function replicaSet(file, port) {
  const me = `127.0.0.1:${port}`
  let config = fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, 'utf8')) : null
  const keep = (next) => {
    config = next
    fs.writeFileSync(file, JSON.stringify(next))
    return { ok: 1 }
  }
  const refuse = (code, codeName, errmsg) => ({ ok: 0, code, codeName, errmsg })
  const isMe = (wanted) => wanted.members.some((member) => member.host === me)
  const noSelf = () =>
    refuse(74, 'NodeNotFound', 'No host described in new configuration maps to this node')
  return {
    hello() {
      const primary = config !== null && isMe(config)
      return {
        ismaster: primary,
        isWritablePrimary: primary,
        ...(primary
          ? { setName: config._id, hosts: [me], me, primary: me }
          : { isreplicaset: true }),
        maxBsonObjectSize: 16_777_216,
        maxMessageSizeBytes: 48_000_000,
        maxWriteBatchSize: 100_000,
        localTime: new Date(),
        logicalSessionTimeoutMinutes: 30,
        minWireVersion: 0,
        maxWireVersion: 21,
        readOnly: false,
        ok: 1,
      }
    },
    initiate(wanted) {
      if (config !== null) return refuse(23, 'AlreadyInitialized', 'already initialized')
      return isMe(wanted) ? keep({ ...wanted, version: 1 }) : noSelf()
    },
    reconfigure(wanted, force) {
      if (!isMe(wanted)) return noSelf()
      const running = isMe(config)
      return running || force ? keep(wanted) : refuse(10107, 'NotWritablePrimary', 'not primary')
    },
    config: () => (config ? { config, ok: 1 } : refuse(94, 'NotYetInitialized', 'no config')),
  }
}

function talk(socket, set, upstream, stop) {
  let behind = null
  const toUpstream = (message) => {
    behind ??= open()
    if (behind === null) reply(socket, message, { ok: 0, code: 59, errmsg: 'no engine behind' })
    else behind.write(message)
  }
  const open = () => {
    const connection = upstream.connect()
    connection?.pipe(socket)
    connection?.on('error', () => socket.destroy())
    return connection
  }
  socket.on('error', () => behind?.destroy())
  socket.on('close', () => behind?.destroy())
  onMessages(socket, (message) => {
    const command = read(message)
    const answer = command && answerTo(command, set)
    if (answer) reply(socket, message, answer)
    else toUpstream(message)
    if (command && 'shutdown' in command) {
      socket.destroy()
      void stop()
    }
  })
}

function answerTo(command, set) {
  const [name] = Object.keys(command)
  switch (name.toLowerCase()) {
    case 'hello':
    case 'ismaster':
      return set.hello()
    case 'replsetinitiate':
      return set.initiate(command.replSetInitiate)
    case 'replsetgetconfig':
      return set.config()
    case 'replsetreconfig':
      return set.reconfigure(command.replSetReconfig, command.force === true)
    case 'getcmdlineopts':
      return { argv: process.argv, parsed: { storage: { dbPath: options.get('--dbpath') } }, ok: 1 }
    case 'ping':
    case 'shutdown':
      return { ok: 1 }
    default:
      return null
  }
}
