namespace FastCgi.AspNetCore.Tests.Transport;

/// <summary>Sends back what comes, and reads on only when that is gone: a peer that does not read stops it.</summary>
internal class EchoHandler(TransportConnection connection) : RecordingHandler(connection)
{
    public override void OnSendCompleted(bool succeeded)
    {
        base.OnSendCompleted(succeeded);
        Connection.ResumeReading();
    }

    public override void OnPeerGone()
    {
        base.OnPeerGone();
        Connection.Close();
    }

    protected override bool OnReceived(ReadOnlySpan<byte> data)
    {
        while (!data.IsEmpty)
        {
            switch (Connection.Send(data))
            {
                case TransportConnection.Reset:
                    Connection.Close();
                    return false;
                case TransportConnection.WouldBlock:
                    Connection.PauseReading();
                    Connection.SendLater(data.ToArray());
                    return false;
                case var sent:
                    data = data[sent..];
                    break;
            }
        }

        return true;
    }
}
