// Every number that bounds something, with its source: (API document, section) or (our choice). Units stand last in the name.

// ---- The service -------------------------------------------------------------------------------------------------

/** Largest upload-json body as sent, envelope included (API document, section 8: "1 MB, uncompressed"). */
export const lightweightBodyBytesMax = 1_000_000;

/** Largest compressed file we PUT; the service takes "2 GB" (API document, section 8), read as the smaller of its meanings. */
export const uploadBytesMax = 2_000_000_000;

/** Requests per minute and endpoint of the legacy API (published facts, Errors). */
export const legacyRequestsPerMinute = 600;

// ---- The client (our choice) -------------------------------------------------------------------------------------

/** Requests per second over all workers when the configuration does not say. */
export const requestsPerSecondDefault = 10;

/** Deadline of one JSON request, from connect to the last byte of the answer; below the activity's startToClose. */
export const requestDeadlineMs = 100_000;

/** Deadline of a PUT: this much plus one second per `putBytesPerSecondMin`. */
export const putDeadlineBaseMs = 600_000;

/** Slowest PUT that is still waited for. */
export const putBytesPerSecondMin = 512 * 1024;

/** Time to the answer's headers of a JSON request. */
export const headersTimeoutMs = 60_000;

/** Time to the answer's headers of a PUT: it also fires on slow readers, because kernel buffers hide them. */
export const putHeadersTimeoutMs = 120_000;

/** Largest answer that is read. */
export const answerBytesMax = 1_000_000;

/** Longest piece of a foreign message that is shown. */
export const foreignTextCharsMax = 500;

/** A hint longer than this is not waited for: the run stops and says so. */
export const retryAfterMsMax = 24 * 3_600_000;

/** A wait up to this long is slept inside the activity; a longer one gives the worker slot back. */
export const sleepInActivityMsMax = 1_000;

// ---- Chunks, parts, pages (our choice) ----------------------------------------------------------------------------

/** Records after which a chunk ends at the next page. A small chunk bounds what a crash repeats. */
export const chunkRecordsDefault = 100_000;

/** Compressed bytes after which a chunk ends at the next page. */
export const chunkBytesDefault = 64 * 1024 * 1024;

/** Rows read after which a chunk ends, so that a mostly unchanged source still saves checkpoints. */
export const chunkRowsReadMax = 1_000_000;

/** Time after which a chunk ends at the next page. */
export const chunkMsMax = 5 * 60_000;

/** The same of a chunk in which nothing leaves: a run that is interrupted again and again gets to its end all the same. */
export const chunkUnsentMsMax = 15_000;

/** How often a staging tells the store how far it has read. */
export const stageNotedMs = 2_000;

/** Rows a connector may put into one page. */
export const pageRowsMax = 1_000;

/** Largest CSV row; a longer one is most likely an unclosed quote. */
export const rowBytesMax = 1_000_000;

/** Largest single record in JSON that any mode sends; the sandbox refuses longer lines. */
export const recordBytesMax = 1_000_000;

/** JSONL bytes deflated at a time; a unit of work for zlib's threads. */
export const deflateBlockBytes = 1024 * 1024;

/** Lightweight bodies a batch may need before `auto` turns to heavyweight. */
export const lightweightPartsMaxDefault = 1;

/** Extra uploads that splitting may cause in one run, where `reject_limit` asks for no more. */
export const splitsPerRunMin = 200;

/** The same at most: each leaves about 15 events, and a workflow's history may hold 51,200. */
export const splitsPerRunMax = 2_000;

/** Failures in a row after which a fault that seldom passes stops the run: an answer of the wrong kind, a full disk. */
export const faultTimesMax = 3;

/** As `faultTimesMax`, for a page that came whole and is of a wrong shape: each try is paid for, and no accident of the network does that. */
export const misreadPageTimesMax = 2;

/** How long a name may fail to resolve. */
export const unresolvedMsMax = 10 * 60_000;

/** Times, and for how long, a confirm may say that it knows no such file before the file is uploaded again. */
export const notFoundTimesMax = 5;

/** As `notFoundTimesMax`. */
export const notFoundMsMax = 60_000;

/** Time between the note that a request begins and its first byte, in ms: behind it the request is not sent. */
export const leaveMsMax = 5_000;

/** Time between two looks whether a request that has not ended is over, in ms. */
export const resendLookMs = 5 * 60_000;

/** The longest pause between two resends of a sync that fail, in ms. */
export const resendPauseMsMax = 3_600_000;

/** Time that is added to the deadline of a request before what it may apply is held to be applied, in ms. */
export const landingMarginMs = 60_000;

/** Unknown outcomes in a row after which a part is sent once more only, and that once the service has taken another request. */
export const poisonTimesMax = 5;

/** PUTs cut within the same so many bytes are cut at one place: what the sockets hold between them blurs it by several MB (measured). */
export const cutPlaceBytes = 16 * 1024 * 1024;

/** Shortest delay before another attempt: Temporal takes 0 for "no retry at all", and rounds what is shorter. */
export const retryDelayMsMin = 1_000;

/** Longest step of the back-off after a fault that may pass. */
export const retryDelayMsMax = 60_000;

/** Times a chunk is staged again because its source changed or its file vanished. */
export const restagesPerChunkMax = 3;

/** Times a confirm may find its upload gone before the run stops. */
export const uploadsPerPartMax = 5;

// ---- State (our choice) -------------------------------------------------------------------------------------------

/** Rows of one SQLite transaction: a longer one blocks every other process. */
export const transactionRowsMax = 1_000;

/** How long a statement waits for another process's lock. */
export const lockWaitMs = 10_000;

/** How often who waits for it looks whether it is free. */
export const lockLookMs = 1;

/** How long a process may write one transaction after another before it leaves a gap for others. */
export const lockBurstMs = 20;

/** That gap. */
export const lockGapMs = 2;

/** Characters of its source row that a reject keeps. */
export const rejectRowCharsMax = 64 * 1024;

// ---- Temporal (temporal.md, section 8) ----------------------------------------------------------------------------

/** Characters of an error in a run's current details, which hold 20,000 bytes in all. */
export const detailsErrorCharsMax = 4_000;

/** Reject reasons in the details of a backfill under way: they stand in its history with every chunk. */
export const detailsReasonsMax = 3;

/** Reject reasons named in a report. */
export const reportReasonsMax = 10;

// ---- Configuration (our choice) -----------------------------------------------------------------------------------

/** Bytes of a `sluice.yaml`. */
export const configBytesMax = 256 * 1024;

/** Values in a `sluice.yaml` once its aliases are followed, so that a few lines cannot grow into millions. */
export const configValuesMax = 20_000;

/** Levels of nesting in a `sluice.yaml`, aliases followed: one that holds itself ends here. */
export const configDepthMax = 32;

/** Problems of a configuration that one error shows; the rest is counted. */
export const configProblemsMax = 100;

/** Characters of a connection's or sync's name; a sync's name is a fairness key, which Temporal bounds (temporal.md, section 3). */
export const nameCharsMax = 64;

/** Bytes of a file that holds a secret. */
export const secretFileBytesMax = 64 * 1024;

/** Highest `lightweight.parts_max`: beyond it a heavyweight upload always takes fewer requests. */
export const lightweightPartsMaxHighest = 100;

/** Longest duration a setting takes: ten years. */
export const durationMsMax = 3_650 * 24 * 3_600_000;

// ---- Requests (our choice) ----------------------------------------------------------------------------------------

/** Time to a connection, TLS included. */
export const connectTimeoutMs = 10_000;

/** How long a confirm or an upload-json on the wire may still finish when its activity is cancelled. */
export const cancelGraceMs = 1_000;

/** Longest delay a JavaScript timer keeps; a longer one fires at once. */
export const timerMsMax = 2 ** 31 - 1;

/** Longest `file_key` taken; what an S3 key may have. */
export const fileKeyCharsMax = 1_024;

/** Bytes of a staged file read, hashed and sent at a time. */
export const putBlockBytes = 1024 * 1024;

// ---- Records and mapping (our choice) -----------------------------------------------------------------------------

/** Levels of objects and lists in a record's properties, the properties object itself included. */
export const recordDepthMax = 32;

/** Longest piece of an error of a mapping module that a reject keeps. */
export const mappingErrorCharsMax = 200;

/** Longest host name (RFC 1035, section 2.3.4, as text without the root dot). */
export const hostCharsMax = 253;

/** Longest e-mail address (RFC 5321, section 4.5.3.1.3, without the angle brackets). */
export const emailCharsMax = 254;

/** Longest part of an e-mail address before the @ (RFC 5321, section 4.5.3.1.1). */
export const emailLocalCharsMax = 64;

// ---- Pace (our choice) --------------------------------------------------------------------------------------------

/** First step of the back-off after "slow down" without a hint. */
export const backoffBaseMs = 2_000;

/** Longest step of that back-off. */
export const backoffMaxMs = 60_000;

/** Faults, and refusals without a hint, further apart than this are not in a row; more than the longest step and a slow answer. */
export const faultForgottenMs = 10 * 60_000;

/** Time of refusals without a hint and without one success after which the credits are taken to be used up. */
export const creditsSuspectedMs = 3_600_000;

/** A rate limit longer than this is the workflow's to wait for, where a person sees it; a shorter one, or an outage, is Temporal's. */
export const waitInActivityRetryMsMax = 30_000;

/** How long a ticket for a slot outlives its time. */
export const ticketLapseMs = 30_000;

/** While a higher class waits, a lower one gets one slot in this many. */
export const lowerClassSlots = 10;

/** Failures in a row after which a gate lets one probe at a time through. */
export const failuresMax = 5;

/** Time to the first probe; doubles with each that fails. */
export const probeFirstMs = 1_000;

/** Longest time between two probes. */
export const probeStepMs = 30_000;

/** How long the end of a probe is waited for: a little more than a JSON request may take. */
export const probeLapseMs = requestDeadlineMs + 5_000;

/** Over how long those who wait for a failing service come back, at most: at once would be a storm on our own store. */
export const probeSpreadMs = 10_000;

/** How often an activity tells Temporal that it lives. */
export const heartbeatMs = 2_000;

/** Heap of one staging thread. */
export const stageThreadHeapMiB = 256;

/** Young generation of one staging thread; what V8 takes by itself made a worker 100 MB larger, and no faster. */
export const stageThreadYoungMiB = 24;

/** Activities of the shared queue that one worker runs at once. */
export const sharedActivitiesMax = 20;

/** Activities with local files that one worker runs at once: its disk's share. */
export const hostActivitiesMax = 4;

/** How often a worker tells the store that it lives. */
export const hostBeatMs = 10_000;

/** Silence after which a worker is no reason any more to leave the store's schema as it is. */
export const beatsKeepSchemaMs = 60_000;

/** Syncs with something in doubt that are looked at. */
export const doubtfulSyncsMax = 1_000;

/** How long what the service refused is not tried again in a chunk that is not committed: the fault may have been its own. */
export const refusalKnownMs = 24 * 3_600_000;

/** Silence after which nothing is kept of a worker. */
export const hostForgottenMs = 24 * 3_600_000;

/** Hosts in a row that a run may lose before it stops. */
export const hostsLostMax = 5;

/** How long `sluice worker` gives what runs to end when it is told to stop. */
export const workerGraceMs = 30_000;

/** The same at Ctrl-C, and of a worker that a command starts for itself: somebody waits for the prompt. */
export const commandGraceMs = 1_500;

/** How often `sluice dev` looks whether its files have changed. */
export const changeLookMs = 1_000;

/** How long `run` waits until `sluice dev` has taken a changed configuration up. */
export const workerTakesUpMsMax = 20_000;

/** How long `run` waits for a worker to poll its queue. */
export const workerWaitMs = 30_000;

/** Port of the sandbox unless it is taken. */
export const sandboxPortDefault = 8089;

/** Warnings of a source that a run keeps. */
export const runWarningsMax = 20;

/** Characters of one: it stands in the run's history. */
export const runWarningCharsMax = 1_000;

// ---- Pages of search and enrichment (our choice) ------------------------------------------------------------------

/** Largest page that is read; beyond it fewer results are asked for. */
export const pageBytesMax = 64_000_000;

/** Highest cursor: an int32 (API document, section 4.4). */
export const cursorMax = 2 ** 31 - 1;

/** Pages in a row without a result that are followed. */
export const emptyPagesMax = 3;

/** Pages with results beyond those that the total makes expect. */
export const extraPagesMax = 2;

// ---- Notifications (our choice) -----------------------------------------------------------------------------------

/** Receivers of notifications. */
export const notifyTargetsMax = 10;

/** Deadline of one notification, from connect to the status of its answer. */
export const notifyDeadlineMs = 10_000;

/** Bytes of an answer to a notification that are taken from the wire; only its status counts. */
export const notifyAnswerBytesMax = 16 * 1024;

/** Tries of one notification. With the steps of its policy that is about an hour. */
export const notifyTriesMax = 20;

/** A run that ended longer ago is told of no more. */
export const notifyLateMsMax = 24 * 3_600_000;

/** How long Temporal may take to take a notification: its run's end waits so long. */
export const notifyStartMsMax = 5_000;

/** How long a command whose own worker stops with it lets the notification of its run leave. */
export const notifyWaitMsMax = 10_000;

/** Characters of a notification's text for Slack. */
export const slackTextCharsMax = 4_000;

// ---- Status (our choice) ------------------------------------------------------------------------------------------

/** How long a command waits for one source: which columns it has, who it is, what `check` asks. In ms. */
export const sourceMsMax = 60_000;

/** How long `status` waits for Temporal to say what a run waits for. */
export const statusTemporalMsMax = 3_000;

/** How much of that it waits for a connection, so that there is time left to look why there is none. */
export const statusConnectMsMax = 2_000;

// ---- Schedules (our choice) ---------------------------------------------------------------------------------------

/** By so much at most a scheduled run starts late, so that not all of a night's runs start at once; below a cron's minute. */
export const scheduleJitterMs = 30_000;

/** How late a run may still start that Temporal, being away, did not start in time (design: Schedules). */
export const scheduleCatchUpMs = 12 * 3_600_000;

/** Next times that are shown of a schedule. */
export const scheduleTimesShown = 5;

/** Weeks that are looked through for changes of the clocks. */
export const clockChangesWeeksMax = 53;

/** More than any change of the clocks. */
export const clockChangeMsMax = 3 * 3_600_000;

/** Characters of the note that a paused schedule keeps. */
export const scheduleNoteCharsMax = 500;

/** A wanted run counts as missed when it has not begun so long after its time; more than the jitter and a slow start. */
export const missedAfterMs = 5 * 60_000;

/** Missed runs that a report names; the rest is counted. */
export const missedRunsNamedMax = 10;

/** Missed runs that are counted. */
export const missedRunsCountedMax = 1_000;

/** How long a run that missed others waits for Temporal to say why. */
export const scheduleStateMsMax = 5_000;

/** How long `schedule trigger` waits for Temporal to start the run. */
export const triggerMsMax = 10_000;

// ---- What changed, and replays (our choice) -----------------------------------------------------------------------

/** Fields of a sync whose hashes are kept, 4 bytes a record and field; a change of another field is seen, and not named. */
export const fieldSlotsMax = 256;

/** Rejects after which a chunk of a replay ends: they are marked in the transaction that commits it. */
export const replayChunkRowsMax = 5_000;

// ---- Pulls (our choice) -------------------------------------------------------------------------------------------

/** Results asked for at a time. The highest limit that the service takes is not documented. */
export const pullPageSizeDefault = 100;

/** Calls of one run: each costs credits, and a mistake in a filter must not cost all of them. */
export const pullCallsDefault = 10_000;

/** Walks over a search while results are missing that changed places: the first and two more (design: P16). */
export const pullWalksMax = 3;

/** Pages of job postings that one activity asks for: most companies have one. */
export const postingPagesPerActivity = 50;

/** Domains that a run may see refused, and none taken, before it is the query that is refused: each may cost credits. */
export const domainRefusalsMax = 20;

/** Domains of one pull. */
export const pullDomainsMax = 1_000_000;

// ---- Backfills (our choice) ---------------------------------------------------------------------------------------

/** Lanes of a backfill: each takes a slot of its host and a chunk's room on its disk. */
export const lanesMax = 16;

/** Chunks of one lane: each lane's are numbered from a multiple of it on. A chunk holds a row at least. */
export const laneChunksMax = 1_000_000;

/** How often a lock is asked for that another run is to give back, ms. */
export const lockAskMs = 1_000;

/** How long a plan waits for a person. */
export const approvalWaitMs = 7 * 24 * 3_600_000;

/** How often a lane is begun in all: one that failed goes on once more, behind its last commit. */
export const laneTriesMax = 2;

/** Rows up to which a backfill needs nobody's consent when the configuration does not say. */
export const approveBelowDefault = 10_000;

/** Lanes when nobody says. */
export const lanesDefault = 4;

/** Keys that a backfill is told by name: more are a file's. */
export const namedKeysMax = 1_000;

/** Characters of such a key. */
export const namedKeyCharsMax = 256;

/** Characters of a backfill's note. */
export const noteCharsMax = 500;

/** Characters of a place or time that is typed in. */
export const spanEndCharsMax = 100;

/** Characters of a name that may be a slip of another: longer ones are none. */
export const slipCharsMax = 64;

/** Rows of a span that a plan looks at, and of the last run that it takes its rate from at least. */
export const sampleRowsMax = 1_000;

/** Sample records that are kept with a plan. */
export const planSamplesMax = 10;

/** Fields that a plan names among those that differ. */
export const planFieldsMax = 20;

/** Rows that a lane is worth: with fewer there are fewer lanes. */
export const laneRowsMin = 5_000;

/** A plan holds while its rows have not moved by more than this many, or by `planMovedShareMax` of them. */
export const planMovedRowsMax = 100;

/** See `planMovedRowsMax`. */
export const planMovedShareMax = 0.01;

/** Runs of a sync that are looked through for the rate of the last one that read enough. */
export const rateRunsMax = 100;

// ---- Discovery (our choice) ---------------------------------------------------------------------------------------

/** Tables or files that `discover` shows when it is not told how many. */
export const discoveriesDefault = 50;

/** Tables that `init` looks through for the one it is told. */
export const tablesLookedThroughMax = 10_000;

// ---- Commands of webhooks (our choice) ----------------------------------------------------------------------------

/** Port of the receiver unless it is told another. */
export const webhooksPortDefault = 8090;

/** An event that waits longer than this is late: `status` says so. */
export const inboxLateMs = 5 * 60_000;

/** Deadline of a delivery of `webhooks send`, from connect to the last byte of its answer. */
export const sendDeadlineMs = 30_000;

/** Largest answer to a delivery of `webhooks send`. */
export const sendAnswerBytesMax = 64 * 1024;

// ---- Inbox (our choice) -------------------------------------------------------------------------------------------

/** How long the id of an event that was posted is remembered (design: P12). */
export const eventIdsKeptMs = 7 * 24 * 3_600_000;

/** Event ids of a segment, which is merged in its order while the next one fills. A process has two in memory, of 52 bytes an id. */
export const recentIdsMax = 131_072;

/** Characters of deliveries that are kept in one transaction, unless one delivery alone has more. */
export const inboxGroupCharsMax = 8 * 1024 * 1024;

/** Pages of the inbox's log after which they go into its file, which holds those up who wait for a 2xx. 4 MB. */
export const inboxLogPages = 1_000;

// ---- Inbox as a source (our choice) -------------------------------------------------------------------------------

/** Events that are read of an inbox at a time, because each may be as large as a body. */
export const inboxReadRows = 8;

/** Characters of events after which a page ends. */
export const inboxPageCharsMax = 8_000_000;

// ---- Draining inboxes (our choice) --------------------------------------------------------------------------------

/** How long one call of the doorbell may take. */
export const ringCallMsMax = 5_000;

/** Time to the second call of a doorbell that did not get through; doubles with each that fails. */
export const ringFirstMs = 1_000;

/** Longest time between two of its calls. */
export const ringStepMsMax = 30_000;

/** How long a drain leaves a sync alone whose run failed; doubles with each that fails. */
export const drainRestMs = 60_000;

/** Longest such rest. */
export const drainRestMsMax = 15 * 60_000;

/** The same of a sync that another run is sending. */
export const drainBusyRestMs = 15_000;

/** How often somebody looks for events whose doorbell was not heard, and for what may go. */
export const sweepEveryMs = 60_000;

/** Transactions in which one sweep removes events of a connection, and event ids: what is left goes with the next. */
export const sweepStepsMax = 100;

/** How long a drain's run that had nothing to tell is kept. */
export const drainRunsKeptMs = 24 * 3_600_000;

/** Such runs of a sync that one sweep removes. */
export const drainRunsPrunedMax = 1_000;

// ---- Webhook receiver (our choice where no source is named) -------------------------------------------------------

/** Time to the end of a request's head (design: faults, section 6.3). */
export const receiverHeadMsMax = 3_000;

/** Time to the end of a request (design: faults, section 6.3). */
export const receiverRequestMsMax = 5_000;

/** How often the receiver looks for requests that took longer: looked at once a second, they were answered up to two seconds late (measured). */
export const receiverCheckMs = 250;

/** How long a connection is kept for its next request; longer than the 60 s that proxies keep theirs, who else meet a closed one. */
export const receiverKeepAliveMs = 72_000;

/** Connections at once; further ones are closed as they come. */
export const receiverConnectionsMax = 4_096;

/** Bytes of a request's head (Node's own default). */
export const receiverHeadBytesMax = 16 * 1024;

/** Header lines of a request. */
export const receiverHeaderLinesMax = 100;

/** Bytes of a body that any request may hold in memory; above it, it takes its share of `receiverBodiesBytesMax`. */
export const receiverSmallBodyBytes = 16 * 1024;

/** Bytes of larger bodies that are read at once, so that senders who stop in the middle cannot fill the memory. */
export const receiverBodiesBytesMax = 64 * 1024 * 1024;

/** Bytes of an unwanted body that are read away (design: faults, section 6.3). */
export const receiverDrainBytesMax = 64 * 1024;

/** How long a sender of an unwanted body has for reading its answer. */
export const receiverDrainMs = 1_000;

/** `Retry-After` of a delivery that cannot be kept for now. */
export const receiverRetryAfterSeconds = 10;

/** How long deliveries are refused unread after a write failed; then the next one is tried, and so on. */
export const receiverRestMs = 1_000;

/** How often at most the log says of a connection that a delivery is not believed (our choice): anyone may post such. */
export const unbelievedLogMs = 60_000;

/** How often the receiver looks how the inbox stands. */
export const receiverLookMs = 1_000;

/** How long requests under way have when the receiver closes. */
export const receiverCloseMs = 10_000;

// ---- Deliveries (our choice) --------------------------------------------------------------------------------------

/** Events of one delivery: what is kept in one transaction. */
export const deliveryEventsMax = 1_000;
