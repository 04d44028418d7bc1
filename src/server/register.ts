// `node --import @quire/server/register` runs TypeScript, such as the tests of a project. Node 20 cannot do that itself.
import { register } from 'node:module'

process.setSourceMapsEnabled(true)
register('./register/typescript-hooks.js', import.meta.url)
