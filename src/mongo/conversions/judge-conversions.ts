import type { Document } from 'mongodb'
import { groupBy } from '../../base/group-by.ts'
import type { RetypedAttribute } from '../../schema/ledger/enter-definitions.ts'
import type { Schema, ShapePlan } from '../../schema/plan.ts'
import type { Database } from '../connection/database.ts'
import { findStoredCollections } from '../indexes/stored-collections.ts'
import {
  type AttributeConversion,
  convertMembers,
  type ConversionTally,
  type Tallies,
} from '../versions/convert-row.ts'
import { converterFor, loserOf } from '../versions/convert-value.ts'
import { reachedNames } from './reached-types.ts'
import { scanTrash } from './convert-trash.ts'
import { scanRows } from './scan-rows.ts'

export interface JudgedAttribute extends RetypedAttribute, Readonly<ConversionTally> {
  /** Whether values that do not fit may be removed. */
  readonly removes: boolean
}

/** Counts the values of attributes with a new type in all versions and in the trash. Scans their collections. */
export async function judgeConversions(
  database: Database,
  schema: Schema,
  retyped: readonly RetypedAttribute[],
): Promise<readonly JudgedAttribute[]> {
  const chosen = new Map(retyped.map((one) => [one, conversionOf(schema, one)]))
  const conversions = groupBy([...chosen.values()], ({ uid }) => uid)
  const tallies: Tallies = new Map()
  const stored = await findStoredCollections(database)
  for (const plan of schema.contentTypes.values()) {
    const names = reachedNames(plan, conversions)
    if (names.length === 0) continue
    const tally = (rows: readonly Document[]): void => {
      for (const row of rows) convertMembers(plan, row, conversions, tallies)
    }
    if (stored.has(plan.collectionName)) {
      for await (const rows of scanRows(database, plan, names)) tally(rows)
    }
    for await (const rows of scanTrash(database, plan)) tally(rows.map(({ version }) => version))
  }
  return retyped.map((one) => {
    const conversion = chosen.get(one)
    const none = { values: 0, rewritten: 0, lost: 0, unzoned: 0 }
    const tally = (conversion && tallies.get(conversion)) ?? none
    return { ...one, ...tally, removes: conversion?.removes === true }
  })
}

function conversionOf(schema: Schema, one: RetypedAttribute): AttributeConversion {
  const { uid, name, stored, conversion, formerTypes } = one
  const attribute = holderOf(schema, uid)?.attributes.get(name)
  const removes = attribute?.convert === 'null'
  const convert =
    conversion === 'none' || attribute === undefined
      ? loserOf(formerTypes.at(-1))
      : converterFor(attribute, formerTypes)
  return { uid, stored, removes, convert }
}

function holderOf({ contentTypes, components }: Schema, uid: string): ShapePlan | undefined {
  return contentTypes.get(uid) ?? components.get(uid)
}
