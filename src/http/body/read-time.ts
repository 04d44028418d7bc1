import Joi from 'joi'
import { inputError, readInput } from '../../people/access/input.ts'
import { assertNoPayload, bodyOf, payloadOf } from './read-request.ts'
import type { Context } from '../router/state.ts'

const AT = Joi.object<{ readonly data: { readonly at: string } }>({
  data: Joi.object({
    at: Joi.string()
      .isoDate()
      .pattern(/(Z|[+-]\d\d:\d\d)$/)
      .message('{{#label}} must be a time of ISO 8601 with its zone, such as 2026-01-31T12:00:00Z')
      .required(),
  }).required(),
})

const YEAR_MS = 365 * 86_400_000
const MAX_YEARS = 10

/** Null for an immediate action. @throws ValidationError for a time in the past or more than ten years ahead */
export function readTime(ctx: Context, now: Date): Date | null {
  const body = bodyOf(ctx)
  if (!hasTime(body)) {
    assertNoPayload(ctx)
    return null
  }
  return timeOf(body, now)
}

/** @throws ValidationError without a time, for a time in the past, or more than ten years ahead */
export function readRequiredTime(ctx: Context, now: Date): Date {
  return timeOf(payloadOf(ctx) ?? {}, now)
}

function timeOf(body: unknown, now: Date): Date {
  const { data } = readInput(AT, body)
  const at = new Date(data.at)
  if (at <= now)
    throw inputError('data.at', 'data.at must lie in the future', data.at, { code: 'time.future' })
  if (at.getTime() > now.getTime() + MAX_YEARS * YEAR_MS) {
    throw inputError('data.at', `data.at must lie within ${MAX_YEARS} years`, data.at, {
      code: 'time.years',
      params: { limit: MAX_YEARS },
    })
  }
  return at
}

function hasTime(body: unknown): boolean {
  const { data = null } = (body ?? {}) as { readonly data?: unknown }
  return typeof data === 'object' && data !== null && Object.hasOwn(data, 'at')
}
