namespace FastCgi.AspNetCore.Server;

/// <summary>The uses that a request may have when it begins.</summary>
internal enum RequestAdmission
{
    /// <summary>A request of the application. There is no MaxConcurrentRequests.</summary>
    Application,

    /// <summary>A request of the application that counts for MaxConcurrentRequests.</summary>
    CountedApplication,

    /// <summary>One for a page of the server; any other is refused when its params have come.</summary>
    PagesOnly,

    /// <summary>Refused at once.</summary>
    Refused,
}
