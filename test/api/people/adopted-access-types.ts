/** Content-types of another service's collections. */
export const ADOPTED_TYPES = {
  order: {
    info: { singularName: 'order' },
    adopt: { collection: 'shop_orders' },
    attributes: { number: { type: 'string' } },
  },
  ticket: {
    info: { singularName: 'ticket' },
    adopt: { collection: 'shop_tickets', write: true },
    attributes: { number: { type: 'string' } },
  },
}
