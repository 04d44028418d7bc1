import type { Socket } from 'node:net'
import type { Document } from 'mongodb'
import { commandsOfRequests } from '../../scripts/wire/commands-of-requests.ts'
import { openRelay } from '../../scripts/wire/relay.ts'
import {
  messageReader,
  replyTo,
  requestOf,
  type WireMessage,
} from '../../scripts/wire/wire-messages.ts'

/** What goes wrong with one command on its way to the database and back. */
export interface WireFault {
  /**
   * `refused`: the command never gets there. `aborted`: nor does it, and the transaction that it belongs to is over, as when
   * a primary steps down. `carried out`: it does what it is to do, and the answer is another.
   */
  readonly fate: 'refused' | 'aborted' | 'carried out'
  /** What is answered, given what the database said (an empty document where it was not asked); null breaks the connection. */
  readonly answer: (command: Document, said: Document) => Document | null
}

/** Chooses what goes wrong with the command that comes as the `position`th since then, from 1. */
export type FaultPlan = (command: Document, position: number) => WireFault | null

/** A database behind a door that lets commands go wrong. */
export interface FaultProxy {
  readonly uri: string
  /** From now on commands are counted, and go as planned; those that keep the connection up are left alone. */
  arm(plan: FaultPlan): void
  /** Lets everything through again, and answers the commands that came in the meantime. */
  disarm(): readonly Document[]
  close(): Promise<void>
}

/** Stands between a server and the database of `uri`, on a free port. */
export async function openFaultProxy(uri: string): Promise<FaultProxy> {
  const isOfRequest = commandsOfRequests()
  let plan: FaultPlan | null = null
  let commands: Document[] = []
  const faultOf = ({ body }: WireMessage): WireFault | null => {
    if (body === null || !isOfRequest(body) || plan === null) return null
    commands.push(body)
    return plan(body, commands.length)
  }
  const { port, close } = await openRelay(uri, (inbound, outbound) =>
    relay(inbound, outbound, faultOf),
  )
  return {
    // A server that was told of to be no primary is looked at again soon, not in half a second.
    uri: `mongodb://127.0.0.1:${port}/?directConnection=true&minHeartbeatFrequencyMS=50`,
    arm: (next) => {
      commands = []
      plan = next
    },
    disarm: () => {
      plan = null
      return commands.splice(0)
    },
    close,
  }
}

function relay(
  inbound: Socket,
  outbound: Socket,
  faultOf: (message: WireMessage) => WireFault | null,
): void {
  /** Requests whose answer is to be another, by their id. */
  const awaited = new Map<number, (said: Document) => void>()
  const receive = (message: WireMessage): void => {
    const fault = faultOf(message)
    const { body, bytes, requestId } = message
    if (fault === null || body === null) {
      outbound.write(bytes)
      return
    }
    const settle = (said: Document): void => {
      const answer = fault.answer(body, said)
      if (answer === null) inbound.destroy()
      else inbound.write(replyTo(requestId, answer))
    }
    const sent = toSend(fault, message)
    if (sent === null) {
      settle({})
    } else {
      awaited.set(requestId, settle)
      outbound.write(sent)
    }
  }
  const send = ({ bytes, responseTo, body }: WireMessage): void => {
    const settle = awaited.get(responseTo)
    if (settle === undefined) {
      inbound.write(bytes)
      return
    }
    awaited.delete(responseTo)
    settle(body ?? {})
  }
  inbound.on('data', messageReader(receive))
  outbound.on('data', messageReader(send))
}

/** What reaches the database of a command that goes wrong; null for nothing at all. */
function toSend({ fate }: WireFault, { bytes, body, requestId }: WireMessage): Buffer | null {
  if (fate === 'carried out') return bytes
  const isOpen = body?.['autocommit'] === false && body['startTransaction'] !== true
  if (fate === 'refused' || body === null || !isOpen) return null
  const { lsid, txnNumber } = body
  const abort = { abortTransaction: 1, lsid, txnNumber, autocommit: false, $db: 'admin' }
  return requestOf(requestId, abort)
}
