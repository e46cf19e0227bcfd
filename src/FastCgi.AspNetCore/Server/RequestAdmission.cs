namespace FastCgi.AspNetCore.Server;

/// <summary>The decision about a request when it begins.</summary>
internal enum RequestAdmission
{
    /// <summary>Admitted for the application. There is no MaxConcurrentRequests.</summary>
    Application,

    /// <summary>Admitted for the application, and counted for MaxConcurrentRequests.</summary>
    CountedApplication,

    /// <summary>Admitted for pages of the server only. Refused when the params show that it wants no page.</summary>
    PagesOnly,

    /// <summary>Refused at once.</summary>
    Refused,
}
