namespace FastCgi.AspNetCore.Requests.Body;

/// <summary>Where the body of a request stands. <see cref="RequestBody.Next"/> has every transition.</summary>
internal enum BodyPhase
{
    /// <summary>The application has not begun, and nothing of the body has come.</summary>
    Awaited,

    /// <summary>The body is whole and empty, known before the application began.</summary>
    Empty,

    /// <summary>More may come.</summary>
    Arriving,

    /// <summary>Every byte has come; the reader reads what is left of them.</summary>
    Whole,

    /// <summary>Every read fails.</summary>
    Failed,

    /// <summary>Bytes that still come are counted and dropped.</summary>
    Dropped,
}

/// <summary>The events of the body of a request.</summary>
internal enum BodyEvent
{
    /// <summary>The application is about to begin, and no body can come.</summary>
    OpenEmpty,

    /// <summary>The application is about to begin.</summary>
    Open,

    /// <summary>Bytes came, and more may come.</summary>
    Bytes,

    /// <summary>The last declared byte came.</summary>
    LastBytes,

    /// <summary>The end came after every byte.</summary>
    End,

    /// <summary>The end came too early.</summary>
    ShortEnd,

    /// <summary>The rest will not come.</summary>
    Fail,

    /// <summary>The reader must fail, whatever the params say.</summary>
    Refuse,

    /// <summary>The application does not read any more.</summary>
    Drop,

    /// <summary>The stream of an upgraded connection begins.</summary>
    Upgrade,
}
