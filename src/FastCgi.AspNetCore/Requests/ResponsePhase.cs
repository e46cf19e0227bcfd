namespace FastCgi.AspNetCore.Requests;

/// <summary>Where a response stands. From <see cref="Started"/> on, its head is final.</summary>
internal enum ResponsePhase
{
    /// <summary>The application may change the head.</summary>
    Unstarted,

    /// <summary>OnStarting callbacks run.</summary>
    Starting,

    /// <summary>
    /// An OnStarting callback failed: the application cannot start the response any more, the server can.
    /// </summary>
    Refused,

    /// <summary>It ended before it started: the client is gone, or the server dropped the request.</summary>
    Dropped,

    /// <summary>The head is written.</summary>
    Started,

    /// <summary>The end is with the connection.</summary>
    Ended,

    /// <summary>It broke off after its start.</summary>
    Torn,
}

/// <summary>The events that move a response from one phase to the next.</summary>
internal enum ResponseEvent
{
    /// <summary>
    /// The application starts it, and OnStarting callbacks come first. Again where one of them writes before the others
    /// had their turn, or a start failed and new ones were registered.
    /// </summary>
    RunCallbacks,

    /// <summary>An OnStarting callback threw.</summary>
    FailCallbacks,

    /// <summary>The application's head is written.</summary>
    Start,

    /// <summary>The server's own answer takes the place of the application's.</summary>
    StartError,

    /// <summary>The last byte is handed over.</summary>
    End,

    /// <summary>Nothing more of it is sent.</summary>
    Break,
}

/// <summary>How a response ends once the application has returned.</summary>
internal enum ResponseOutcome
{
    /// <summary>As the application wrote it.</summary>
    Whole,

    /// <summary>By an answer of the server: the application failed before the response started.</summary>
    Error,

    /// <summary>
    /// Broken off: the application failed after the start, and the client must not take half for whole.
    /// </summary>
    Torn,
}
