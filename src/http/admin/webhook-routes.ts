import { administratorAction as may } from '../../people/access/administrator-actions.ts'
import { listDeliveries } from '../../changes/webhooks/delivery-log.ts'
import {
  createWebhook,
  endRotation,
  getWebhook,
  listWebhooks,
  removeWebhook,
  replayWebhook,
  rotateSecret,
  updateWebhook,
  type WebhooksContext,
} from '../../changes/webhooks/manage-webhooks.ts'
import type { Webhooks } from '../../changes/webhooks/open-webhooks.ts'
import { shown } from '../../changes/webhooks/webhook.ts'
import type { GuardedRouter } from '../router/guarded-router.ts'
import { assertNoPayload, payloadOf, parameterOf, readQuery } from '../body/read-request.ts'
import { type AdminRouter, adminRouter, type BeforeAdmin } from '../router/admin-router.ts'

export interface WebhookRouteDependencies extends BeforeAdmin, Omit<WebhooksContext, 'now'> {
  readonly webhooks: Pick<Webhooks, 'test' | 'wake'>
}

export function webhookRoutes(dependencies: WebhookRouteDependencies): GuardedRouter {
  const { database, schema, allowHosts } = dependencies
  const admin = adminRouter('/admin/webhooks', dependencies)
  const context: WebhooksContext = { database, schema, allowHosts, now: () => new Date() }
  addManagement(admin, context, dependencies)
  addSecrets(admin, context)
  addDeliveries(admin, context, dependencies)
  return admin.router
}

function addManagement(
  admin: AdminRouter,
  context: WebhooksContext,
  { webhooks }: WebhookRouteDependencies,
): void {
  admin.get('/', may('admin::webhooks', 'read'), async (ctx) => {
    ctx.body = { data: await listWebhooks(context) }
  })
  admin.post('/', may('admin::webhooks', 'create'), async (ctx) => {
    const created = await createWebhook(context, ctx.state.principal, payloadOf(ctx))
    ctx.status = 201
    ctx.body = { data: created }
  })
  admin.get('/:id', may('admin::webhooks', 'read'), async (ctx) => {
    ctx.body = { data: shown(await getWebhook(context, parameterOf(ctx, 'id'))) }
  })
  admin.put('/:id', may('admin::webhooks', 'update'), async (ctx) => {
    const { principal } = ctx.state
    const data = await updateWebhook(context, principal, parameterOf(ctx, 'id'), payloadOf(ctx))
    webhooks.wake()
    ctx.body = { data }
  })
  admin.delete('/:id', may('admin::webhooks', 'delete'), async (ctx) => {
    ctx.body = { data: await removeWebhook(context, ctx.state.principal, parameterOf(ctx, 'id')) }
  })
}

function addSecrets(admin: AdminRouter, context: WebhooksContext): void {
  admin.post('/:id/rotate', may('admin::webhooks', 'update'), async (ctx) => {
    assertNoPayload(ctx)
    const rotated = await rotateSecret(context, ctx.state.principal, parameterOf(ctx, 'id'))
    ctx.status = 201
    ctx.body = { data: rotated }
  })
  admin.delete('/:id/previous-secret', may('admin::webhooks', 'update'), async (ctx) => {
    ctx.body = { data: await endRotation(context, ctx.state.principal, parameterOf(ctx, 'id')) }
  })
}

function addDeliveries(
  admin: AdminRouter,
  context: WebhooksContext,
  { webhooks }: WebhookRouteDependencies,
): void {
  admin.get('/:id/deliveries', may('admin::webhooks', 'read'), async (ctx) => {
    const { _id } = await getWebhook(context, parameterOf(ctx, 'id'))
    const query = { ...readQuery(ctx.querystring) }
    const { deliveries, next } = await listDeliveries(context.database, _id, query)
    ctx.body = { data: deliveries, meta: { next } }
  })
  admin.post('/:id/test', may('admin::webhooks', 'update'), async (ctx) => {
    assertNoPayload(ctx)
    ctx.body = { data: await webhooks.test(parameterOf(ctx, 'id')) }
  })
  admin.post('/:id/replay', may('admin::webhooks', 'update'), async (ctx) => {
    const data = await replayWebhook(
      context,
      ctx.state.principal,
      parameterOf(ctx, 'id'),
      payloadOf(ctx),
    )
    webhooks.wake()
    ctx.status = 202
    ctx.body = { data }
  })
}
