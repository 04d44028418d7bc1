import Koa from 'koa'
import type { Config } from '../../base/config/config.ts'
import { answerUnrouted } from '../../http/middleware/answer-unrouted.ts'
import { crossOrigin } from '../../http/middleware/cross-origin.ts'
import { drainRequests } from '../../http/middleware/drain-requests.ts'
import { tagCodings } from '../../http/answer/entity-tag.ts'
import { packAnswers } from '../../http/answer/pack-answers.ts'
import { handleErrors } from '../../http/middleware/handle-errors.ts'
import { isHangUp } from '../../http/answer/hang-ups.ts'
import { identifyRequest } from '../../http/middleware/identify-request.ts'
import { limitUnsent } from '../../http/middleware/limit-unsent.ts'
import { logRequests } from '../../http/middleware/log-requests.ts'
import { logSlowRequests } from '../../http/middleware/log-slow-requests.ts'
import { type Metrics } from '../../http/middleware/measure-requests.ts'
import { type FinishedRequest, observeRequests } from '../../http/middleware/observe-requests.ts'
import { securityHeaders } from '../../http/middleware/security-headers.ts'
import { serializeJson } from '../../http/middleware/serialize-json.ts'
import { setServerTiming } from '../../http/middleware/server-timing.ts'
import { signAddresses } from '../../http/middleware/sign-addresses.ts'
import type { Middleware, RequestState } from '../../http/router/state.ts'
import { type Services, type ServicesOptions } from '../services/open-services.ts'

export function buildKoa(
  { config, log }: ServicesOptions,
  { monitor, explain, addresses }: Services,
  measure: Metrics['measure'],
  routes: readonly Middleware[],
): Koa<RequestState> {
  const { trustedProxies } = config.http
  const koa = new Koa<RequestState>({ proxy: trustedProxies > 0, maxIpsCount: trustedProxies })
  koa.on('error', (error: unknown) => {
    if (isHangUp(error)) log.debug('A client closed the connection or did not speak HTTP')
    else log.warn({ err: error }, 'A response could not be sent')
  })
  koa.use(drainRequests())
  koa.use(identifyRequest())
  koa.use(logRequests(log))
  koa.use(
    observeRequests(monitor, [
      measure,
      ...(config.production ? [] : [setServerTiming]),
      ...slowRequestLog(config, log, explain),
    ]),
  )
  koa.use(securityHeaders())
  koa.use(crossOrigin(config.http))
  koa.use(signAddresses(addresses))
  koa.use(tagCodings())
  for (const handle of packAnswers()) koa.use(handle)
  koa.use(handleErrors(log))
  koa.use(limitUnsent(config.http.maxUnsentBytes))
  koa.use(serializeJson())
  koa.use(answerUnrouted())
  for (const handle of routes) koa.use(handle)
  return koa
}

function slowRequestLog(
  { observe: { slowRequestMs } }: Config,
  log: ServicesOptions['log'],
  explain: Services['explain'],
): readonly ((finished: FinishedRequest) => void)[] {
  if (slowRequestMs === null) return []
  return [logSlowRequests({ log, thresholdMs: slowRequestMs, explain, now: () => new Date() })]
}
