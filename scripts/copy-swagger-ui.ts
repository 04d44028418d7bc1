// Copies the files of Swagger UI that /api/docs serves into dist/swagger-ui. The package itself is no dependency of the
// server, because it depends on @scarf/scarf, whose install script reports the installation.
import { copyFile, mkdir } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const OUTPUT = fileURLToPath(new URL('../swagger-ui/', import.meta.url))
const FILES = ['swagger-ui.css', 'swagger-ui-bundle.js', 'LICENSE', 'NOTICE']

const source = path.dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
await mkdir(OUTPUT, { recursive: true })
for (const name of FILES) await copyFile(path.join(source, name), path.join(OUTPUT, name))
