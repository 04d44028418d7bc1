import { Long } from 'bson'
import { decodeDocument } from '../bson/decode.ts'
import { isNumber, toDouble } from '../bson/numbers.ts'
import { isDocument, getType } from '../bson/values.ts'
import type { Document, Value } from '../bson/values.ts'
import { badValue, CommandError, failedToParse, typeMismatch } from '../errors.ts'
import type { Deadline } from '../deadline.ts'
import { createNewestView } from '../storage/view.ts'
import type { View } from '../storage/view.ts'
import { applyUnit, createUnit } from '../storage/write-unit.ts'
import type { WriteUnit } from '../storage/write-unit.ts'
import type { Engine } from './engine.ts'
import type { Message } from './message.ts'
import type { Transaction } from './sessions.ts'

export interface Request {
  readonly engine: Engine
  readonly message: Message
  readonly body: Document
  readonly name: string
  readonly database: string
  readonly session: string | null
  readonly transaction: Transaction | null
  /** The snapshot of a read outside of a transaction. Null for the newest data. */
  readonly view: View | null
  readonly deadline: Deadline
}

export interface Command {
  /** Members besides the common ones. Any other member is refused. */
  readonly options: readonly string[] | 'any'
  /** A write or commit runs inside a store write. An admin command opens its own. */
  readonly access: 'read' | 'write' | 'commit' | 'admin'
  readonly inTransaction?: boolean
  /** Awaited before `run`. */
  readonly prepare?: (request: Request) => Promise<void>
  /** A write or commit may run again if its group was undone. */
  readonly run: (request: Request) => Document
  /** Called after a commit is on disk or has failed. */
  readonly settled?: (request: Request) => void
}

export function getView({ transaction, view }: Request): View {
  return transaction?.unit ?? view ?? createNewestView()
}

/** Runs a statement of a write command: inside the transaction, or as its own unit. */
export function runStatement<T>(request: Request, statement: (unit: WriteUnit) => T): T {
  if (request.transaction) return statement(request.transaction.unit)
  const unit = createUnit()
  const result = statement(unit)
  applyUnit(request.engine.data, unit)
  return result
}

export function readCollectionName(request: Request): string {
  const name = request.body[request.name]
  if (typeof name !== 'string')
    throw new CommandError('InvalidNamespace', `collection name has invalid type ${getType(name)}`)
  if (name === '')
    throw new CommandError('InvalidNamespace', `Invalid namespace specified '${request.database}.'`)
  return name
}

export function readOptionalDocument(body: Document, name: string): Document | null {
  const value = body[name]
  if (value === undefined || value === null) return null
  if (!isDocument(value))
    throw typeMismatch(
      `BSON field '${name}' is the wrong type '${getType(value)}', expected type 'object'`,
    )
  return value
}

export function readOptionalCount(body: Document, name: string): number | null {
  const value = body[name]
  if (value === undefined || value === null) return null
  if (!isNumber(value))
    throw typeMismatch(
      `BSON field '${name}' is the wrong type '${getType(value)}', expected type 'number'`,
    )
  const count = Math.trunc(toDouble(value))
  if (Number.isNaN(count) || count < 0)
    throw badValue(`BSON field '${name}' value must be >= 0, actual value '${count}'`)
  return count
}

export function isSet(body: Document, name: string): boolean {
  const value = body[name]
  return isNumber(value) ? toDouble(value) !== 0 : value === true
}

/** Refuses an unsupported option unless it is empty. */
export function refuseOption(body: Document, name: string): void {
  const value = body[name]
  const isEmpty =
    value === undefined ||
    value === null ||
    value === false ||
    (isDocument(value) && Object.keys(value).length === 0)
  if (!isEmpty) throw failedToParse(`'${name}' is not supported by the embedded engine`)
}

/** Only the simple collation is supported: byte order. */
export function refuseCollation(body: Document): void {
  const collation = body['collation']
  if (isDocument(collation) && collation['locale'] === 'simple') return
  refuseOption(body, 'collation')
}

export function readTransactionNumber(body: Document, name: string): Long {
  const value = body[name]
  return value instanceof Long ? value : Long.fromNumber(isNumber(value) ? toDouble(value) : 0)
}

export function readStatements(request: Request, name: string): readonly Document[] {
  const sequence = request.message.sequences.get(name)
  const list = sequence ? sequence.map((bytes) => decodeDocument(bytes)) : request.body[name]
  if (!Array.isArray(list))
    throw new CommandError(
      'Location40414',
      `BSON field '${request.name}.${name}' is missing but a required field`,
    )
  if (list.length === 0)
    throw new CommandError(
      'InvalidLength',
      `Write batch sizes must be between 1 and ${MAX_STATEMENTS}. Got 0 operations.`,
    )
  if (list.length > MAX_STATEMENTS)
    throw new CommandError(
      'InvalidLength',
      `Write batch sizes must be between 1 and ${MAX_STATEMENTS}. Got ${list.length} operations.`,
    )
  return list.map((statement: Value) => {
    if (!isDocument(statement))
      throw typeMismatch(
        `BSON field '${request.name}.${name}' holds a ${getType(statement)}, expected type 'object'`,
      )
    return statement
  })
}

export const MAX_STATEMENTS = 100_000
