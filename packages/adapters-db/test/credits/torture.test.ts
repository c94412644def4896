import { dealtFaults, tortureSuite } from "./tortureSuite.ts"

tortureSuite("every request of an operation refused, and its connection cut, once", false, dealtFaults)
