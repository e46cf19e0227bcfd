using FastCgi.AspNetCore.Diagnostics;

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

/// <summary>The transitions of a response, all of them, and the rule of its outcome.</summary>
internal static class ResponsePhases
{
    /// <summary>Null where the event is forbidden in that phase.</summary>
    public static ResponsePhase? After(ResponsePhase phase, ResponseEvent @event)
    {
        Probe.Count(StateTable.Response, (int)phase, (int)@event);
        return (phase, @event) switch
        {
            (ResponsePhase.Unstarted or ResponsePhase.Starting, ResponseEvent.RunCallbacks) => ResponsePhase.Starting,
            (ResponsePhase.Starting, ResponseEvent.FailCallbacks) => ResponsePhase.Refused,
            (ResponsePhase.Unstarted or ResponsePhase.Starting, ResponseEvent.Start) => ResponsePhase.Started,
            (ResponsePhase.Unstarted or ResponsePhase.Starting or ResponsePhase.Refused, ResponseEvent.StartError) =>
                ResponsePhase.Started,
            (ResponsePhase.Started, ResponseEvent.End) => ResponsePhase.Ended,
            (ResponsePhase.Started, ResponseEvent.Break) => ResponsePhase.Torn,
            (ResponsePhase.Unstarted or ResponsePhase.Starting or ResponsePhase.Refused, ResponseEvent.Break) =>
                ResponsePhase.Dropped,
            _ => null,
        };
    }

    /// <summary>How the response ends when the application has returned.</summary>
    /// <param name="hasStarted">The head is written.</param>
    /// <param name="hasFailed">An exception escaped from the application, or its body is too short.</param>
    /// <param name="isBodyForbidden">The head is all there is to the response, so nothing of it can be missing.</param>
    public static ResponseOutcome OutcomeOf(bool hasStarted, bool hasFailed, bool isBodyForbidden) =>
        !hasStarted ? ResponseOutcome.Error
        : hasFailed && !isBodyForbidden ? ResponseOutcome.Torn
        : ResponseOutcome.Whole;
}
