#!/usr/bin/env node
// Stands in for mongod and mongos, by the name it is run by: notes in STAND_IN_JOURNAL how it was
// started, what it was asked that changes anything, and how it ended. STAND_IN_FAULT makes one of them
// misbehave: `<name>:exit` (config, shard1, shard2, mongos), `<name>:hang` (never is primary),
// `<name>:deaf` (does not end when it is asked to).
import fs from 'node:fs'
import net from 'node:net'
import path from 'node:path'
import { onMessages, read, reply } from '../../server/deployment/stand-in-wire.mjs'

const isRouter = path.basename(process.argv[1]) === 'mongos'
const option = (name) => process.argv[process.argv.indexOf(name) + 1]
const name = isRouter ? 'mongos' : option('--replSet')
const [faulty, fault] = (process.env.STAND_IN_FAULT ?? '').split(':')
const is = (wanted) => faulty === name && fault === wanted

note('start', process.argv.slice(2))
if (is('exit')) {
  process.stdout.write(`${name}: told to fail\n`)
  process.exit(14)
}
let isInitiated = false
const server = net.createServer((socket) => {
  socket.on('error', () => socket.destroy())
  onMessages(socket, (message) => {
    const command = read(message)
    if (command) reply(socket, message, answerTo(command))
  })
})
server.listen(Number(option('--port')), option('--bind_ip'))
process.on('SIGTERM', () => {
  if (is('deaf')) return
  note('end')
  process.exit(0)
})

function note(what, detail) {
  const line = { name, pid: process.pid, what, detail }
  fs.appendFileSync(process.env.STAND_IN_JOURNAL, `${JSON.stringify(line)}\n`)
}

function answerTo(command) {
  const [first] = Object.keys(command)
  if (first.toLowerCase() === 'hello' || first.toLowerCase() === 'ismaster') return hello()
  if (first === 'replSetInitiate') isInitiated = true
  if (['replSetInitiate', 'addShard', 'balancerStop'].includes(first)) note(first, command[first])
  return { ok: 1 }
}

function hello() {
  const isPrimary = isRouter || (isInitiated && !is('hang'))
  return {
    ismaster: isPrimary,
    isWritablePrimary: isPrimary,
    ...(isRouter ? { msg: 'isdbgrid' } : { isreplicaset: true }),
    maxBsonObjectSize: 16_777_216,
    maxMessageSizeBytes: 48_000_000,
    maxWriteBatchSize: 100_000,
    minWireVersion: 0,
    maxWireVersion: 21,
    ok: 1,
  }
}
