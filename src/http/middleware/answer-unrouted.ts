import {
  type CmsError,
  MethodNotAllowedError,
  NotFoundError,
  NotImplementedError,
} from '../../base/errors.ts'
import { ERROR_CODE, errorEnvelope } from '../answer/envelope.ts'
import type { Middleware } from '../router/state.ts'

const ERRORS: ReadonlyMap<number, CmsError> = new Map<number, CmsError>([
  [404, new NotFoundError('Not Found')],
  [405, new MethodNotAllowedError('Method Not Allowed')],
  [501, new NotImplementedError('Not Implemented')],
])

export function answerUnrouted(): Middleware {
  return async (ctx, next) => {
    await next()
    const { status } = ctx
    const error = ERRORS.get(status)
    if (error === undefined || (ctx.body !== undefined && ctx.body !== null)) return
    if (status === 404 && ctx.method === 'OPTIONS') {
      ctx.set('Allow', 'HEAD, GET')
      ctx.body = ''
      return
    }
    ctx.body = errorEnvelope(error)
    ctx.set(ERROR_CODE, error.errorCode)
    ctx.status = status // Koa sets 200 when the body is assigned.
  }
}
