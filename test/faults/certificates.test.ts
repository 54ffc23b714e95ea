import { setDefaultCACertificates } from "node:tls";

import { authority } from "../support/certificates.ts";
import { showCells } from "./play/show.ts";
import { certificates } from "./table/sockets.ts";

// Only for this process: without it every certificate would be refused for its unknown authority.
setDefaultCACertificates([authority]);

showCells(certificates);
