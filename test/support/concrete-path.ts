/** The path of a route with parameter values that match no row. */
export function concretePath(path: string): string {
  return path
    .replaceAll(/\{\*\w+\}/g, 'nothing')
    .replaceAll(/:action\b/g, 'publish')
    .replaceAll(/:uid\b/g, 'api::article.article')
    .replaceAll(/\/:\w+/g, '/nothing')
}
